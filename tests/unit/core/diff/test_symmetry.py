"""Comparing is even-handed: swapping the sides swaps the values and changes nothing else."""

from dataclasses import fields, replace

from fakes.diff_pairs import compare, elsewhere, h200
from hypothesis import given
from hypothesis import strategies as st

from app.core.diff.gpu_items import MOMENTARY, gpu_items
from app.core.hardware.fingerprint import Fingerprint, Gpu, GpuAccess, Topology, UnknownReason
from app.core.hardware.kernel_facts import DriverModule, Kernel

_NUMBERS = st.none() | st.integers(0, 200_000)
_WORDS = st.none() | st.sampled_from(["Default", "Prohibited", "None", "x"])
_CAPABILITIES = st.none() | st.sampled_from(["7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "10.0"])


def _field_strategy(name: str, kind: str) -> st.SearchStrategy[object]:
    if name == "compute_cap":
        return _CAPABILITIES
    if "bool" in kind:
        return st.none() | st.booleans()
    return _NUMBERS if "int" in kind or "float" in kind else _WORDS


_GPU_FIELDS = {
    f.name: _field_strategy(f.name, str(f.type))
    for f in fields(Gpu)
    if any(word in str(f.type) for word in ("int", "float", "bool", "str"))
    and f.name not in {"index", "mig_devices", "throttle_reasons", "catalogue_id", "bus_id", "uuid"}
}


@st.composite
def gpus(draw: st.DrawFn) -> tuple[Gpu, ...]:
    """Return up to three GPUs in which some values differ from the recording."""
    made = []
    for index in range(draw(st.integers(0, 3))):
        values = {}
        for name in draw(st.lists(st.sampled_from(sorted(_GPU_FIELDS)), max_size=6, unique=True)):
            values[name] = draw(_GPU_FIELDS[name])
        uuid = draw(st.sampled_from(["GPU-a", "GPU-b", "GPU-c", None]))
        made.append(replace(h200().gpus[0], index=index, uuid=uuid, **values))
    return tuple(made)


@st.composite
def hosts(draw: st.DrawFn) -> Fingerprint:
    base = elsewhere(h200(draw(st.sampled_from(["idle", "busy"]))), draw(st.sampled_from("xyz")))
    return replace(
        base,
        sections=(),
        sources={},
        driver_module=DriverModule(),
        system=Kernel(),
        gpus=draw(gpus()),
        driver_version=draw(st.sampled_from([None, "535.54.03", "580.65.06", "580.65.6"])),
        cuda_version=draw(st.sampled_from([None, "12.2", "13.0"])),
        topology=draw(st.sampled_from([base.topology, Topology()])),
        containers=replace(
            base.containers,
            gpu_access=draw(st.sampled_from(list(GpuAccess))),
            toolkit_version=draw(st.sampled_from([None, "1.16.2", "1.17.0", "1.18.1"])),
        ),
        unknown=draw(
            st.dictionaries(
                st.sampled_from(["gpus", "gpus.0.mig_mode", "driver_version", "topology.links"]),
                st.sampled_from(list(UnknownReason)),
            )
        ),
    )


@given(hosts())
def test_a_host_never_differs_from_itself(host: Fingerprint) -> None:
    assert compare(host, host).differences == ()


@given(hosts(), hosts())
def test_swapping_the_sides_swaps_the_values_only(a: Fingerprint, b: Fingerprint) -> None:
    b = replace(b, taken_at="2027-01-01T00:00:00Z")  # two names for the sides
    there, back = compare(a, b), compare(b, a)
    swapped = [replace(d, a=d.b, b=d.a) for d in back.differences]
    assert sorted(map(repr, there.differences)) == sorted(map(repr, swapped))
    assert there.not_compared == back.not_compared
    assert there.compared == back.compared


@given(hosts(), hosts())
def test_no_sentence_has_an_empty_place(a: Fingerprint, b: Fingerprint) -> None:
    for difference in compare(a, b).differences:
        assert "{" not in difference.meaning.en + difference.meaning.zh_CN
        assert difference.a != difference.b


def test_every_value_of_a_gpu_has_a_rule() -> None:
    from fakes.diff_pairs import rules

    for item in gpu_items(h200(), 0, h200().gpus[0]):
        assert rules().rule(item.rule).id == item.rule
    for name in MOMENTARY:
        assert rules().rule(f"gpu.{name}")
