"""Choose between window and command line; import neither before the choice is made."""
