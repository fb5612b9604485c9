"""Which hardware would do, with the hosts one has first, and the inverse questions."""

from dataclasses import replace

from fakes.planning_world import (
    ShippedData,
    best,
    cpu_host,
    gguf_model,
    gpu_host,
    safetensors_model,
)

from app.core.errors import DataFileError, ErrorCode
from app.core.events import HostKind, HostSettings, HostSnapshot, HostState
from app.core.ids import HostId
from app.core.models.inverse import Wanted
from app.services.planning import PlanningService
from app.services.sizing import SizingService


class FakeHosts:
    """Hosts by name; what is stored of them is a fingerprint, nothing, or an error."""

    def __init__(self, **stored):
        self.stored = stored

    def snapshot(self):
        return tuple(
            HostSnapshot(
                revision=1,
                settings=HostSettings(
                    id=HostId(name),
                    name=name,
                    kind=HostKind.DEMO if name == "demo" else HostKind.SSH,
                ),
                state=HostState.DISCONNECTED,
            )
            for name in self.stored
        )

    async def fingerprint(self, host_id):
        found = self.stored[host_id]
        if isinstance(found, Exception):
            raise found
        return found


BROKEN = DataFileError(ErrorCode.FINGERPRINT_BROKEN, cause="it is cut off", remedy="take it anew")


def service(**stored):
    hosts, data = FakeHosts(**stored), ShippedData()
    planning = PlanningService(data=data, hosts=hosts, models=None)
    return SizingService(hosts=hosts, data=data, estimator=planning.learned_estimator)


def question(sizing, fingerprint, **goal):
    model = safetensors_model()
    asked = sizing.asked_of_plan(best(fingerprint, model), model=model, fingerprint=fingerprint)
    return replace(asked, options=replace(asked.options, **goal))


async def test_owned_hosts_come_first_and_the_smallest_enough_is_one_of_them():
    pair = gpu_host("NVIDIA L4", count=2, cap="8.9", memory_mib=23034, reserved_mib=None)
    sizing = service(big=gpu_host(count=2), small=pair, demo=gpu_host(), bare=cpu_host(), new=None)
    asked = question(sizing, gpu_host(), context_tokens=32768, concurrency=4)
    answer = await sizing.answer(asked)
    owned = [row for row in answer.rows if row.owned_by]
    assert answer.rows[: len(owned)] == tuple(owned)
    assert {row.owned_by for row in owned} == {"big", "small"}
    marked = [row for row in answer.rows if row.smallest]
    assert [(row.owned_by, row.gpu_count) for row in marked] == [("small", 2)]
    assert marked[0].seen_at == pair.taken_at
    assert len(answer.rows) > 100


async def test_what_others_hold_on_an_owned_host_is_counted():
    free, busy = gpu_host(), gpu_host(used_mib=(120_000,))
    sizing = service(free=free, busy=busy)
    asked = question(sizing, free, context_tokens=8192, concurrency=1)
    rows = {row.owned_by: row for row in (await sizing.answer(asked, products=False)).rows}
    assert (rows["free"].meets, rows["busy"].meets) == (True, False)
    assert rows["busy"].used_bytes == 120_000 * 1024**2


async def test_a_broken_record_is_named_and_the_rest_is_answered():
    sizing = service(broken=BROKEN, fine=gpu_host())
    asked = question(sizing, gpu_host(), context_tokens=8192)
    answer = await sizing.answer(asked, products=False)
    assert answer.unread == ("broken",)
    assert [row.owned_by for row in answer.rows] == ["fine"]


async def test_inverse_questions_are_answered_in_their_order():
    sizing = service()
    asked = question(sizing, gpu_host(), context_tokens=8192, concurrency=2)
    answer = await sizing.answer(
        asked, wanted=(Wanted.TENSOR_PARALLEL, Wanted.CONCURRENCY), table=False
    )
    assert answer.rows == ()
    assert [one.wanted for one in answer.solutions] == [Wanted.TENSOR_PARALLEL, Wanted.CONCURRENCY]
    assert answer.solutions[0].value == 1
    assert answer.solutions[1].value > 50
    assert answer.estimate.fits is True


async def test_a_plan_without_gpus_is_asked_about_main_memory():
    sizing, host, model = service(), cpu_host(ram_gib=32), gguf_model()
    asked = sizing.asked_of_plan(best(host, model), model=model, fingerprint=host)
    answer = await sizing.answer(asked, table=False)
    assert (answer.estimate.on_cpu, answer.estimate.fits) == (True, True)


async def test_hardware_that_the_version_does_not_run_on_is_never_the_smallest():
    old = gpu_host("Tesla V100-SXM2-32GB", count=2, cap="7.0", memory_mib=32768)
    stale = gpu_host("NVIDIA L4", count=2, cap="8.9", memory_mib=23034, driver="470.82.01")
    sizing = service(old=old, stale=stale)
    asked = question(sizing, gpu_host(), context_tokens=8192, concurrency=1)
    rows = (await sizing.answer(asked)).rows
    owned = {row.owned_by: row.refused.code for row in rows if row.owned_by}
    assert owned == {"old": "compute_capability", "stale": "driver_too_old"}
    assert not any(row.meets for row in rows if row.refused)
    assert [row.refused for row in rows if row.smallest] == [None]
