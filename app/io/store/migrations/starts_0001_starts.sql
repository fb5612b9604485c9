-- What was predicted of a start and what the engine said of it; the basis of corrections.
CREATE TABLE starts (
    id INTEGER PRIMARY KEY,
    host_id TEXT NOT NULL,
    name TEXT NOT NULL,
    revision INTEGER NOT NULL,
    at TEXT NOT NULL,
    key TEXT NOT NULL,
    teaches INTEGER NOT NULL,
    document TEXT NOT NULL
) STRICT;

CREATE INDEX starts_by_deployment ON starts (host_id, name, revision);
CREATE INDEX starts_by_key ON starts (key, teaches);
