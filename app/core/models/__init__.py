"""What a model is: architecture, quantization, memory."""
