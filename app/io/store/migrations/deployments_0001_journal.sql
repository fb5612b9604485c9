-- What was done to a host: one row per operation, its steps as they happened.
CREATE TABLE journal (
    id TEXT PRIMARY KEY,
    host_id TEXT NOT NULL,
    name TEXT NOT NULL,
    revision INTEGER NOT NULL,
    operation TEXT NOT NULL,
    spec TEXT NOT NULL,
    started_at TEXT NOT NULL,
    finished_at TEXT,
    outcome TEXT,
    error TEXT
) STRICT;

CREATE INDEX journal_by_deployment ON journal (host_id, name, started_at);

CREATE TABLE journal_steps (
    id INTEGER PRIMARY KEY,
    journal_id TEXT NOT NULL REFERENCES journal (id) ON DELETE CASCADE,
    at TEXT NOT NULL,
    step TEXT NOT NULL,
    detail TEXT NOT NULL
) STRICT;

CREATE INDEX journal_steps_by_entry ON journal_steps (journal_id, id);
