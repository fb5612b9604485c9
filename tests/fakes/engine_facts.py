"""The collected facts about engines that may lie beside a checkout, read for comparison.

Facts word their versions freely: ``<=0.2.0``, ``line 1.3 (PR 12545)``, ``1.1–1.2``, ``between
2026-07-12 and 2026-08-17``. `Told.is_there` answers for one version, or `None` where the wording
leaves it open.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from app.core.versions import VersionScheme, version_key

FACTS = Path(__file__).parents[3] / "shared" / "facts"
LINES = {"1.2": "1.2.0", "1.3": "1.3.0rc0", "1.4": "1.4.0rc0"}
BUILT = {
    "b4747": "2025-02-20",
    "b7437": "2025-12-16",
    "b8763": "2026-04-15",
    "b9409": "2026-05-29",
    "b10114": "2026-07-24",
    "b10434": "2026-08-17",
    "b10488": "2026-08-18",
}
_VERSION = r"\d+(?:\.\d+)+(?:rc\d+|\.post\d+)?"


@cache
def facts(engine):
    import yaml

    return yaml.safe_load((FACTS / f"{engine}.yaml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Told:
    """What a fact says of the versions of one name."""

    scheme: VersionScheme
    since: str = ""
    until: str = ""
    """Last version that has it, where the fact tells that."""
    removed_in: str = ""

    def is_there(self, version):
        begun = self._after(version, self.since, unknown=True)
        gone = self._after(version, self.removed_in, unknown=False)
        if self.until:
            beyond = version_key(version, self.scheme) > version_key(self.until, self.scheme)
            gone = gone or beyond
        if begun is False or gone is True:
            return False
        return None if begun is None or gone is None else True

    def _after(self, version, words, *, unknown):
        """Whether ``version`` is at or after what the words say; ``None`` within their range."""
        if not words or words.startswith("0.0"):
            # These builds' facts were read in the newest source only.
            is_open = unknown and self.scheme is VersionScheme.BUILD
            return None if is_open else unknown
        if self.scheme is VersionScheme.BUILD:
            return _after_date(BUILT[version], words)
        low, high = bounds(words)
        if low is None:
            return unknown
        mine = version_key(version, self.scheme)
        if mine < version_key(low, self.scheme):
            return None if words.startswith("<=") else False
        return True if mine >= version_key(high, self.scheme) else None


def bounds(words):
    """The first and last version that the wording allows; equal where it is exact."""
    line = re.match(r"line (1\.\d)(?:–(1\.\d))?", words)
    if line:
        first = LINES[line[1]]
        return first, LINES[line[2]] if line[2] else first
    if spread := re.match(rf"v?({_VERSION})–({_VERSION})", words):
        return spread[1], spread[2]
    found = re.search(_VERSION, words)
    return (found[0], found[0]) if found else (None, None)


def _after_date(built, words):
    days = re.findall(r"\d{4}-\d\d(?:-\d\d)?", words.partition("(")[0].partition(";")[0])
    if not days:
        return None
    first = days[0] if len(days[0]) == 10 else f"{days[0]}-01"
    last = days[-1] if len(days[-1]) == 10 else f"{days[-1]}-31"
    if words.startswith("present"):
        # “present 2026-03, absent 2025-08”
        first, last = f"{min(days)}-01", f"{max(days)}-01"
    if built < first:
        return False
    return True if built > last else None


def _told(row, scheme):
    return Told(
        scheme=scheme,
        since=str(row.get("since") or ""),
        removed_in=str(row.get("removed_in") or ""),
    )


def flag_rows(engine):
    """Rows of flags that a server takes."""
    data = facts(engine)
    rows = [
        row
        for name, listed in data.items()
        if name.startswith("flags") and isinstance(listed, list) and isinstance(listed[0], dict)
        for row in listed
    ]
    return [
        row for row in rows if row.get("tool", "serve") == "serve" and row.get("exists") != "never"
    ]


def spellings(row):
    return [
        name.strip()
        for name in re.split(r" / |/(?=--)|, ", str(row["flag"]).removeprefix("(env) "))
    ]


@cache
def told_flags(engine, scheme):
    """Spelling → rows; an alias is told by the row of its flag."""
    told = {}
    rows = flag_rows(engine)
    for row in rows:
        for name in spellings(row):
            told.setdefault(name, []).append((row, _told(row, scheme)))
    for row in rows:
        for alias in row.get("aliases", ()):
            told.setdefault(str(alias).split(" ")[0], []).append((row, _told(row, scheme)))
    return told


SHARED_STEMS = ("_queries_total", "_lifetime_seconds", "_num_drafts_total")
LAST = {
    "visible to 0.10.2; hidden 0.11.0-0.11.2; removed 0.12.0": "0.10.2",
    "visible to 0.10.2; hidden 0.11.x; removed 0.12.0": "0.10.2",
    "visible to 0.11.x; hidden 0.12-0.14; removed 0.15.0": "0.11.2",
    "0.9.x (V0 swap)": "0.9.2",
}


def metric_names(row):
    """Every name of a row such as ``a_queries_total / _hits_total``."""
    first, *more = [part.strip() for part in re.split(r" / | , ", row["name"])]
    first = first.removesuffix(" etc.")
    stem = first
    for end in SHARED_STEMS:
        stem = stem.removesuffix(end)
    return [first, *(f"{stem}{part}" if part.startswith("_") else part for part in more)]


@cache
def told_metrics(engine, scheme):
    """Name → its kind and versions; only what a Prometheus scrape shows without a special flag."""
    found = facts(engine)["metrics"]
    found = found["prometheus"] if isinstance(found.get("prometheus"), dict) else found
    told, before = {}, ""
    began = re.search(r"added by [^;]*\((\d[\d.]+)\)", str(found.get("source")))
    for row in found.get("items") or found.get("list") or []:
        since = str(row.get("since") or "")
        since = before if since == "same" else since or (began[1] if began else "")
        before = since
        last = str(row.get("until") or "")
        last = LAST.get(last) or ("" if last == "current" else last)
        removed = ""
        if last.startswith("removed"):
            last, removed = "", last.partition("(2")[2] and f"2{last.partition('(2')[2]}"
        until = bounds(last)[0] or "" if last else ""
        kind = re.split(r"[ (]", str(row["type"]))[0]
        for name in metric_names(row):
            told[name] = (kind, Told(scheme, since, until, removed.rstrip(")")))
    return told
