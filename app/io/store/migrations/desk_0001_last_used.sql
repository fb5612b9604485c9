-- Small things that the desk remembers, such as the last goal per host.
CREATE TABLE last_used (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    at TEXT NOT NULL
) STRICT;
