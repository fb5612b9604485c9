"""What a container's flags mean to the simulated engine."""

import pytest

from app.core.deployment.spec import ContainerSpec, Mount
from app.io.datafiles import data_root
from app.io.demo.models import load_demo_models
from app.io.demo.serving import read_serving


@pytest.mark.parametrize(
    ("requests", "least_gib", "most_gib"), [(64, 0.15, 0.25), (128, 0.4, 0.55), (1024, 0.89, 0.89)]
)
def test_fewer_requests_need_fewer_cuda_graphs(requests, least_gib, most_gib):
    """A plan's prediction (0.20, 0.45 and 0.86 GiB) comes true on the demo host, too."""
    spec = ContainerSpec(
        name="c",
        image="vllm/vllm-openai:v0.26.0",
        command=("/model", "--max-num-seqs", str(requests)),
        mounts=(Mount(source="/models/qwen2.5-7b-instruct", target="/model"),),
        container_port=8000,
        host_port=8000,
    )

    serving = read_serving(spec, load_demo_models(data_root()))

    assert least_gib <= serving.figures.graph_gib <= most_gib
