"""gpubot: a question about GPUs in, a plan with memory, GPU and cost out."""
