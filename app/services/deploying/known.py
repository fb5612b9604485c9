"""What is known of a deployment before it starts: its engine, and under what its times are kept."""

from app.core.engines.spec import EngineData, EngineFile
from app.core.texts import Text
from app.services.deploying.book import Deployment


def learning_keys(deployment: Deployment) -> tuple[str, ...]:
    """Under which keys durations are kept, the most telling first.

    The same model on the same host, then on another host, then another model on this host.
    """
    version = f"{deployment.engine}/{deployment.engine_version}"
    model, host = deployment.model_name, deployment.host_id
    return f"{version}/{model}@{host}", f"{version}/{model}", f"{version}@{host}"


def unknown_engine(engine: str) -> EngineData:
    """Return what there is to say of an engine that no data file knows."""
    name = engine or "The engine"
    return EngineData(
        engine=EngineFile(
            schema_version=1,
            id=engine or "unknown",
            name=name,
            summary=Text(en=name, zh_CN=name),
            source="",
            checked="",
        )
    )
