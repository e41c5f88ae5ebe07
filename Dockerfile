# treegraph in a slim image, not as root. Builds and serves an index that lives in the volume /data:
#
#   docker build -t treegraph .
#   docker run --rm -v treegraph-data:/data -v "$PWD/manuals:/manuals:ro" treegraph build /manuals
#   docker run --rm -v treegraph-data:/data treegraph search "Which registers are cleared by a reset?"
#
# compose.yaml has the same with both servers beside it (profiles build and serve).
ARG PYTHON=3.12

FROM python:${PYTHON}-slim AS install
WORKDIR /source
COPY requirements-image.lock ./
RUN python -m venv /opt/treegraph \
 && /opt/treegraph/bin/pip install --no-cache-dir --require-hashes -r requirements-image.lock
COPY pyproject.toml README.md LICENSE __init__.py py.typed ./
COPY indexer indexer
COPY query query
COPY pipelines pipelines
COPY corpora corpora
RUN /opt/treegraph/bin/pip install --no-cache-dir --no-deps --no-build-isolation . \
 && /opt/treegraph/bin/pip uninstall --yes hatchling pip

FROM python:${PYTHON}-slim
COPY --from=install /opt/treegraph /opt/treegraph
RUN useradd --uid 10001 --create-home treegraph && install --directory --owner=treegraph /data
USER treegraph
WORKDIR /data
# The quantised model is made once, beside the index: a container of its own has no cache to keep.
ENV PATH=/opt/treegraph/bin:$PATH XDG_CACHE_HOME=/data/cache TREEGRAPH_INDEX=/data/treegraph.index
VOLUME /data
ENTRYPOINT ["treegraph"]
CMD ["--help"]
