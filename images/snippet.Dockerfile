# The image that snippets run in. images/build reads its ENV, USER, WORKDIR and ENTRYPOINT from here and
# needs no registry; who has one builds it with: docker build -f images/snippet.Dockerfile images
#
# BASE: a Linux with Node 22.18 or newer, /bin/sh and mkfifo. No VOLUME: one that is declared is a
# disk without a limit, and plimsoll refuses the image.
ARG BASE=node:22-bookworm-slim
FROM ${BASE}
COPY runner.cjs runner.mjs /usr/lib/plimsoll/
COPY runner /usr/lib/plimsoll/runner
ENV PATH=/usr/local/bin:/usr/bin:/bin
USER 65534:65534
WORKDIR /work
ENTRYPOINT ["/bin/sh", "/usr/lib/plimsoll/runner/enter", "--container", "--warm"]
