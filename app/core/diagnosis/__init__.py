"""From a log to the cause of a failure: rules as data, evidence lines, remedy, changed plan."""
