"""Starts written for these tests, in the shapes that the engines print."""

# ruff: noqa: E501 - log lines are as long as they are.

LLAMA_START = """\
0.00.004.964 I cmn  common_param: common_params_print_info: verbosity = 3 (adjust with `-lv N`)
0.00.006.035 W srv  llama_server: CORS is set to allow all origins ('*') and no API key is set
0.00.007.464 I srv    load_model: loading model 'small.gguf'
0.00.293.502 I srv    load_model: initializing, n_slots = 2, n_ctx_slot = 1024, kv_unified = 'false'
0.00.300.444 I srv  llama_server: model loaded
0.00.303.430 I srv  llama_server: listening on http://0.0.0.0:8080
0.00.438.509 I slot print_timing: id  1 | task 2 | prompt eval time =       1.66 ms /    14 tokens
"""

VLLM_START = """\
(APIServer pid=7) INFO 03-04 10:00:00 [api_utils.py:345]  ▄▄ ▄█ █     █     █ ▀▄▀ █  version 0.26.0
(APIServer pid=7) INFO 03-04 10:00:14 [model.py:623] Resolved architecture: Qwen2ForCausalLM
(EngineCore pid=90) INFO 03-04 10:00:26 [core.py:116] Initializing a V1 LLM engine (v0.26.0)
(Worker_TP1 pid=93) INFO 03-04 10:00:29 [model_runner.py:284] Loading model from scratch...
(Worker_TP0 pid=92) \rLoading safetensors checkpoint shards:  50% Completed | 1/2 [00:01<00:01]
(Worker_TP0 pid=92) INFO 03-04 10:00:31 [m.py:305] Model loading took 7.54 GiB and 1.7 seconds
(Worker_TP1 pid=93) INFO 03-04 10:00:31 [m.py:305] Model loading took 7.60 GiB and 1.7 seconds
(Worker_TP0 pid=92) INFO 03-04 10:00:58 [gpu_worker.py:560] Available KV cache memory: 120.3 GiB
(EngineCore pid=90) INFO 03-04 10:00:58 [kv.py:2177] GPU KV cache size: 1,971,008 tokens
(Worker_TP0 pid=92) \rCapturing CUDA graphs (FULL):   0%\rCapturing CUDA graphs (FULL): 100%|██| 51/51
(Worker_TP0 pid=92) INFO 03-04 10:01:04 [m.py:747] Graph capturing finished in 7 secs, took 0.72 GiB
(EngineCore pid=9) INFO 03-04 10:01:20 [c.py:340] init engine (profile, create kv cache, warmup model) took 54.56 s
(APIServer pid=7) INFO:     Application startup complete.
"""
