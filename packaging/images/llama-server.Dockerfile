# The genuine llama-server, laid out like the project's own image (ghcr.io/ggml-org/llama.cpp:server-*):
# same entrypoint, same variable, same health check, flags only as command.
FROM pitwall-test/base:bookworm
COPY app /app
ENV LLAMA_ARG_HOST=0.0.0.0
WORKDIR /app
EXPOSE 8080
HEALTHCHECK CMD ["curl", "-f", "http://localhost:8080/health"]
ENTRYPOINT ["/app/llama-server"]
