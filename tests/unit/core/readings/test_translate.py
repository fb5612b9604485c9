"""From an engine's metrics to the vocabulary."""

from pathlib import Path

import pytest

from app.core.engines.spec import MetricRule, MetricsFile
from app.core.metrics.vocabulary import Exposure, Metric
from app.core.readings.translate import EngineTranslator, Sample
from app.io.datafiles import data_root, read_data
from app.io.prometheus import read_prometheus

SHARED = Path(__file__).resolve().parents[5] / "shared"


def rules(engine):
    return read_data(MetricsFile, data_root(), f"engines/{engine}/metrics.toml")


def scrape(**values):
    return {name.replace("__", ":"): (Sample(value=value),) for name, value in values.items()}


def buckets(name, counts):
    return {
        f"{name}_bucket": tuple(
            Sample(value=count, labels={"le": bound}) for bound, count in counts.items()
        )
    }


def recorded(path):
    file = SHARED / path
    if not file.exists():
        pytest.skip("shared cases are not laid beside this checkout")
    return read_prometheus(file.read_text())


def test_llama_gauges_and_counters_are_translated():
    translator = EngineTranslator(rules("llamacpp"))
    first = scrape(
        llamacpp__requests_processing=2, llamacpp__requests_deferred=4,
        llamacpp__tokens_predicted_total=100, llamacpp__prompt_tokens_total=10,
        llamacpp__predicted_tokens_seconds=9999,
    )  # fmt: skip
    read = translator.read(0, first)
    assert read[Metric.REQUESTS_RUNNING] == 2
    assert read[Metric.REQUESTS_WAITING] == 4
    assert read[Metric.OUTPUT_TOKENS_PER_S] is None
    assert translator.exposure(Metric.OUTPUT_TOKENS_PER_S) is Exposure.NOT_YET

    again = scrape(llamacpp__tokens_predicted_total=150, llamacpp__prompt_tokens_total=10)
    read = translator.read(1, again)
    assert read[Metric.OUTPUT_TOKENS_PER_S] == 50
    assert read[Metric.PROMPT_TOKENS_PER_S] == 0
    assert translator.exposure(Metric.OUTPUT_TOKENS_PER_S) is Exposure.EXPOSED


def test_what_llama_does_not_give_has_its_reason_in_both_languages():
    translator = EngineTranslator(rules("llamacpp"))
    translator.read(0, scrape(llamacpp__requests_processing=0))

    for metric in (
        Metric.TTFT_P50_S, Metric.TTFT_P95_S, Metric.ITL_P50_S, Metric.ITL_P95_S,
        Metric.KV_CACHE_USAGE_PERCENT,
    ):  # fmt: skip
        reason = translator.reason(metric)
        assert translator.exposure(metric) is Exposure.NOT_EXPOSED
        assert reason is not None
        assert reason.en
        assert reason.zh_CN
    assert translator.reason(Metric.REQUESTS_RUNNING) is None


def test_old_llama_build_with_the_gauge_gives_it():
    translator = EngineTranslator(rules("llamacpp"))

    read = translator.read(0, scrape(llamacpp__kv_cache_usage_ratio=0.25))
    assert read[Metric.KV_CACHE_USAGE_PERCENT] == 25
    assert translator.exposure(Metric.KV_CACHE_USAGE_PERCENT) is Exposure.EXPOSED
    assert translator.reason(Metric.KV_CACHE_USAGE_PERCENT) is None


def test_several_engines_of_one_server_are_added_up_and_shares_averaged():
    translator = EngineTranslator(rules("vllm"))
    samples = {
        "vllm:num_requests_running": (Sample(value=2), Sample(value=3)),
        "vllm:kv_cache_usage_perc": (Sample(value=0.5), Sample(value=0.1)),
    }
    read = translator.read(0, samples)

    assert read[Metric.REQUESTS_RUNNING] == 5
    assert read[Metric.KV_CACHE_USAGE_PERCENT] == pytest.approx(30)


def test_renamed_metric_of_an_older_version_is_found():
    translator = EngineTranslator(rules("vllm"))

    read = translator.read(0, {"vllm:gpu_cache_usage_perc": (Sample(value=0.2),)})
    assert read[Metric.KV_CACHE_USAGE_PERCENT] == pytest.approx(20)


def test_quantiles_come_from_what_was_observed_lately():
    translator = EngineTranslator(rules("vllm"))
    name = "vllm:time_to_first_token_seconds"
    read = translator.read(0, buckets(name, {"0.1": 0, "0.2": 0, "+Inf": 0, "odd": 9}))
    assert read[Metric.TTFT_P50_S] is None
    assert translator.exposure(Metric.TTFT_P50_S) is Exposure.NOT_YET

    read = translator.read(1, buckets(name, {"0.1": 0, "0.2": 10, "+Inf": 10}))
    assert read[Metric.TTFT_P50_S] == pytest.approx(0.15)
    assert read[Metric.TTFT_P95_S] == pytest.approx(0.195)
    assert translator.exposure(Metric.TTFT_P50_S) is Exposure.EXPOSED


def test_histogram_that_rests_stays_exposed():
    translator = EngineTranslator(rules("vllm"))
    name = "vllm:time_to_first_token_seconds"
    for at_s in (0, 100, 200):
        read = translator.read(at_s, buckets(name, {"0.1": 5, "+Inf": 5}))

    assert read[Metric.TTFT_P50_S] is None
    assert translator.exposure(Metric.TTFT_P50_S) is Exposure.EXPOSED


def test_missed_scrape_makes_unreachable_and_no_rate_across_it():
    translator = EngineTranslator(rules("llamacpp"))
    translator.read(0, scrape(llamacpp__tokens_predicted_total=100))
    translator.missed()
    assert translator.exposure(Metric.OUTPUT_TOKENS_PER_S) is Exposure.UNREACHABLE
    assert translator.exposure(Metric.TTFT_P50_S) is Exposure.NOT_EXPOSED

    read = translator.read(2, scrape(llamacpp__tokens_predicted_total=300))
    assert read[Metric.OUTPUT_TOKENS_PER_S] is None


def test_missed_scrape_empties_the_windows():
    translator = EngineTranslator(rules("vllm"))
    name = "vllm:time_to_first_token_seconds"
    translator.read(0, buckets(name, {"0.1": 0, "+Inf": 0}))
    translator.missed()

    read = translator.read(1, buckets(name, {"0.1": 5, "+Inf": 5}))
    assert read[Metric.TTFT_P50_S] is None


def test_before_the_first_scrape_nothing_is_known():
    translator = EngineTranslator(rules("vllm"))

    assert translator.exposure(Metric.TTFT_P50_S) is Exposure.NOT_YET
    assert EngineTranslator(MetricsFile()).exposure(Metric.TTFT_P50_S) is Exposure.NOT_EXPOSED


def test_rate_may_be_divided_by_another():
    rule = MetricRule(
        metric=Metric.ITL_P50_S, name="s", kind="counter", divide_by="n", source="t", checked="t"
    )
    translator = EngineTranslator(MetricsFile(metric=(rule,)))
    translator.read(0, scrape(s=0, n=0))

    assert translator.read(1, scrape(s=2, n=10))[Metric.ITL_P50_S] == pytest.approx(0.2)
    assert translator.read(2, scrape(s=2, n=10))[Metric.ITL_P50_S] is None


def test_level_may_be_a_share_of_another():
    translator = EngineTranslator(rules("tgi"))
    full = scrape(tgi_batch_current_max_tokens=3000.0, tgi_batch_max_total_tokens=12000.0)
    assert translator.read(0.0, full)[Metric.KV_CACHE_USAGE_PERCENT] == 25.0
    early = scrape(tgi_batch_current_max_tokens=3000.0)
    assert translator.read(1.0, early)[Metric.KV_CACHE_USAGE_PERCENT] is None


def test_recorded_vllm_load_gives_plausible_quantiles():
    translator = EngineTranslator(rules("vllm"))
    base = "captures/vllm-0.26.0-h200/00-qwen2.5-7b.metrics"
    translator.read(0, recorded(f"{base}-before.txt"))

    read = translator.read(5, recorded(f"{base}-after.txt"))
    assert 0.25 < read[Metric.TTFT_P50_S] < 0.5
    assert read[Metric.TTFT_P95_S] < 0.75
    assert 0 < read[Metric.ITL_P50_S] < 0.01
    assert read[Metric.OUTPUT_TOKENS_PER_S] == pytest.approx(60672 / 5, rel=0.01)


def test_recorded_cpu_vllm_gives_every_metric():
    translator = EngineTranslator(rules("vllm"))
    read = translator.read(0, recorded("lab/captures/vllm-0.32.0/metrics-during.prom"))

    assert len(read) == 9
    assert read[Metric.REQUESTS_RUNNING] >= 1


def test_recorded_llama_load_is_read():
    translator = EngineTranslator(rules("llamacpp"))
    base = "lab/captures/llama-server-b10434/metrics"
    during = translator.read(0, recorded(f"{base}-during.prom"))
    after = translator.read(5, recorded(f"{base}-after.prom"))

    assert (during[Metric.REQUESTS_RUNNING], during[Metric.REQUESTS_WAITING]) == (2, 4)
    assert after[Metric.OUTPUT_TOKENS_PER_S] == pytest.approx((5428 - 28) / 5)


def test_scrape_that_was_cut_keeps_what_stood_before():
    text = "# TYPE a gauge\na 1\n# TYPE b gauge\nb 2\nc{x="

    assert read_prometheus(text)["a"][0].value == 1
    assert read_prometheus("") == {}
    assert read_prometheus("no metrics here at all {") == {}


def test_only_what_is_wanted_is_parsed():
    text = '# TYPE a counter\na_total 1\nabc{x="1"} 2\nz 3\n'

    assert set(read_prometheus(text, ("a",))) == {"a_total", "abc"}
    assert read_prometheus(text, ("nothing",)) == {}


def test_what_is_wanted_of_vllm_is_in_its_recorded_answer():
    found = recorded("lab/captures/vllm-0.32.0/metrics-during.prom")
    renamed = {"vllm:gpu_cache_usage_perc", "vllm:time_per_output_token_seconds"}

    for name in EngineTranslator(rules("vllm")).names - renamed:
        assert any(sample.startswith(name) for sample in found), name
