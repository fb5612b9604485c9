"""The smoke run: CUDA asked inside the engine's own image, and what memory and links really do."""
