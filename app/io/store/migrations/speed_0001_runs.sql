-- Measured runs that take the place of the speed model's figures.
CREATE TABLE speed_runs (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    document TEXT NOT NULL
) STRICT;
