"""Read Prometheus text: names, labels and values; what comes after a broken line is left out."""

from collections.abc import Iterable

from app.core.readings.translate import Sample, Samples


def read_prometheus(text: str, wanted: Iterable[str] = ()) -> Samples:
    """Return the samples of a scrape by name.

    Args:
        text: The exposition format, as engines answer on ``/metrics``.
        wanted: Beginnings of the names that are needed; the rest is not even parsed (1 ms instead
            of 9 ms on the 55 KB of vLLM 0.32.0). Empty means all.
    """
    from prometheus_client.parser import text_string_to_metric_families

    if beginnings := tuple(wanted):
        text = "\n".join(line for line in text.split("\n") if line.startswith(beginnings)) + "\n"
    found: dict[str, list[Sample]] = {}
    try:
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                found.setdefault(sample.name, []).append(
                    Sample(value=float(sample.value), labels=sample.labels)
                )
    except (ValueError, IndexError, KeyError):
        # A scrape that was cut keeps what stood before the cut.
        pass
    return {name: tuple(samples) for name, samples in found.items()}
