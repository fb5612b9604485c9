-- Hosts as the user entered them (never a secret), and every fingerprint taken of them.
CREATE TABLE hosts (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    document TEXT NOT NULL,
    last_seen_at TEXT,
    added_at TEXT NOT NULL
) STRICT;

CREATE TABLE fingerprints (
    id INTEGER PRIMARY KEY,
    host_id TEXT NOT NULL REFERENCES hosts (id) ON DELETE CASCADE,
    taken_at TEXT NOT NULL,
    summary TEXT NOT NULL,
    document TEXT NOT NULL
) STRICT;

CREATE INDEX fingerprints_by_host ON fingerprints (host_id, taken_at);
