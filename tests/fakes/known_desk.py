"""A desk that knows something: two hosts with facts, and starts that teach."""

from fakes.planning_world import gpu_host

from app.bootstrap import build
from app.core.actuals.record import StartRecord
from app.core.logs.actuals import Actual
from app.core.models.prediction import predict
from app.core.units import MIB

AT = "2030-01-01T00:00:00Z"


async def fill(home, model, *, starts=3):
    """Store two hosts of 2 × H200, and starts of ``model`` that took 128 MiB more than told."""
    application = build(home=home, only_what_is_used=True)
    await application.start()
    try:
        for name in ("one", "two"):
            await application.hosts.add_record(gpu_host(count=2), name)
        service = application.planning.estimating
        asked = service.asked(
            model=model, engine="vllm", version="0.26.0", gpu_name="NVIDIA H200", gpu_count=2
        )
        estimate = asked.estimate(service.estimator())
        told = predict(estimate, engine="vllm", version="0.26.0", gpu="NVIDIA H200", model=model)
        seen = Actual(
            quantity="non_torch_bytes", value=estimate.non_torch_bytes + 128 * MIB, unit="bytes",
            line=1, text="seen",
        )  # fmt: skip
        for revision in range(starts):
            record = StartRecord(
                host_id="h", name="chat", revision=revision, at=AT, prediction=told, actuals=(seen,)
            )
            await application.actuals.record(record)
    finally:
        await application.close()
