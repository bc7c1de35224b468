"""The commands of `python -m stashscope`."""
