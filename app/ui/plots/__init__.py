"""Plots over time.

What draws imports pyqtgraph and numpy, and is loaded on a worker thread when first needed, after
`app.ui.plots.qt_classes` has made it safe.
"""
