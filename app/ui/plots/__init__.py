"""Plots over time. Imports pyqtgraph and numpy: loaded on a worker thread, when first needed."""
