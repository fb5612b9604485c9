from fakes.planning_world import cpu_host, gguf_model, gpu_host, plan, safetensors_model

from app.core.planning.plan import Goal, GoalKind
from app.core.planning.tree import LIT, OPEN, REFUSED


def nodes(result):
    return {node.id: node for node in result.tree}


def test_every_node_hangs_on_one_that_was_drawn_before():
    seen = set()
    for node in plan(gpu_host(), safetensors_model()).tree:
        assert node.parent is None or node.parent in seen
        seen.add(node.id)


def test_node_ids_are_unique():
    tree = plan(gpu_host(), safetensors_model()).tree
    assert len({node.id for node in tree}) == len(tree)


def test_path_from_the_plan_to_the_root_is_lit():
    tree = nodes(plan(gpu_host(), safetensors_model()))
    node = tree["plan"]
    while node.parent is not None:
        assert node.state == LIT
        node = tree[node.parent]
    assert node.id == "goal"


def test_only_the_chosen_goal_is_lit():
    tree = nodes(plan(gpu_host(), safetensors_model(), Goal(kind=GoalKind.LATENCY)))
    assert tree["goal.latency"].state == LIT
    assert tree["goal.memory"].state == OPEN


def test_hardware_branch_tells_cpu_single_gpu_island_and_pcie_apart():
    def branch(host, model):
        path = plan(host, model).path
        return next(step.branch for step in path if step.node == "device")

    assert branch(cpu_host(), gguf_model()) == "cpu"
    assert branch(gpu_host(), safetensors_model()) == "one-gpu"
    assert branch(gpu_host(count=2, islands=((0, 1),)), safetensors_model()) == "island"
    assert branch(gpu_host(count=2), safetensors_model()) == "pcie"


def test_engines_are_lit_or_refused_with_their_reason():
    tree = nodes(plan(gpu_host(), safetensors_model()))
    assert tree["engine.vllm"].state == LIT
    assert tree["engine.llamacpp"].state == REFUSED
    assert tree["engine.llamacpp"].reason.code == "format_unsupported"


def test_values_hang_on_the_engine_with_reasons():
    tree = nodes(plan(gpu_host(), safetensors_model()))
    value = tree["parameter.context_tokens"]
    assert value.parent == "engine.vllm"
    assert value.kind == "parameter"
    assert value.label.en == "Context: 8,192 tokens"
    assert value.label.zh_CN == "上下文：8,192 token"
    assert value.reason is not None


def test_path_ends_with_values_in_the_order_of_the_tree():
    goal = Goal(kind=GoalKind.MULTI_STEP, engine="vllm")
    result = plan(gpu_host(), safetensors_model(), goal)
    steps = [step.node for step in result.path]
    assert steps[:4] == ["goal", "device", "format", "engine"]
    assert "parameter.prefix_caching" in steps
    answers = {step.node: step.branch for step in result.path}
    assert answers["parameter.prefix_caching"] == "on"
    assert answers["parameter.gpu_indices"] == "0"


def test_without_any_plan_the_tree_still_says_why():
    result = plan(cpu_host(), safetensors_model())
    assert result.ranked == ()
    assert result.path[-1].branch == "none"
    assert all(
        node.state == REFUSED and node.reason for node in result.tree if node.kind == "engine"
    )
    assert "plan" not in nodes(result)


def test_labels_are_short_and_in_both_languages():
    for node in plan(gpu_host(), safetensors_model()).tree:
        assert 0 < len(node.label.en) <= 64
        assert node.label.zh_CN
        assert "{" not in node.label.en
