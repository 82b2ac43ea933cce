"""Pictures and tables of training and policies: curves, heatmaps, policy tables."""
