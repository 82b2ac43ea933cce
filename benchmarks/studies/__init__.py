"""Studies: experiments beyond the core's benchmarks, each a folder with its command."""
