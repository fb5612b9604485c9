from dataclasses import replace

from fakes.planning_world import gguf_model, safetensors_model

from app.core.engines.mounts import deployment_slug, place_model, served_name
from app.core.ids import check_deployment_name


def test_folder_is_mounted_read_only_below_models():
    place = place_model(replace(safetensors_model(), path="/data/llms/Llama 3.1"))
    assert (place.mount.source, place.mount.read_only) == ("/data/llms/Llama 3.1", True)
    assert place.path == place.mount.target == "/models/Llama-3.1"


def test_single_gguf_is_mounted_as_a_file():
    place = place_model(gguf_model(path="/data/tiny.gguf"))
    assert place.mount.source == "/data/tiny.gguf"
    assert place.path == "/models/tiny.gguf"


def test_split_gguf_brings_all_its_parts():
    place = place_model(gguf_model(path="/data/big/m-00001-of-00003.gguf"))
    assert place.mount.source == "/data/big"
    assert place.path == "/models/big/m-00001-of-00003.gguf"


def test_hub_snapshot_brings_the_files_its_links_point_to():
    path = "/hf/hub/models--org--m/snapshots/abc"
    place = place_model(replace(safetensors_model(), path=path))
    assert place.mount.source == "/hf/hub/models--org--m"
    assert place.path == "/models/models--org--m/snapshots/abc"


def test_folder_that_only_looks_like_a_snapshot_is_mounted_itself():
    place = place_model(replace(safetensors_model(), path="/data/snapshots/abc"))
    assert place.mount.source == "/data/snapshots/abc"


def test_bare_config_is_placed_by_its_name():
    place = place_model(replace(safetensors_model(), path=None))
    assert place.path == "/models/llama-3.1-8b"


def test_given_path_wins():
    place = place_model(safetensors_model(), path="/elsewhere/m")
    assert place.mount.source == "/elsewhere/m"


def test_names_are_made_for_clients_and_for_containers():
    model = gguf_model(name="org/Qwen2.5-7B-Instruct_Q4_K_M.gguf")
    assert served_name(model) == "Qwen2.5-7B-Instruct_Q4_K_M"
    assert deployment_slug(model) == "qwen2-5-7b-instruct-q4-k-m"
    long = gguf_model(name="x" * 39 + "-tail")
    assert check_deployment_name(deployment_slug(long))
    assert deployment_slug(gguf_model(name="模型")) == "model"


def test_a_name_without_plain_letters_keeps_its_ending():
    place = place_model(gguf_model(path="/data/通义千问.gguf"))
    assert place.mount.source == "/data/通义千问.gguf"
    assert place.path == "/models/model.gguf"
