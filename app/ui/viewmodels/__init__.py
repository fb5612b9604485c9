"""View-models: QObjects without widgets; pure ``present_*`` functions decide what is shown."""
