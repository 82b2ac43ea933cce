"""Pictures and tables of what agents do: curves, heatmaps, policy tables."""
