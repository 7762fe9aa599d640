# The image that projects run in: the one of snippets, and the tools of images/project. images/build
# reads its ENV, USER, WORKDIR and ENTRYPOINT from here and needs no registry; who has one builds it
# with:
#   (cd images/project && npm ci --ignore-scripts) && docker build -f images/project.Dockerfile images
#
# The tools are in /node_modules, where both require() and import find them from /work.
ARG BASE=node:22-bookworm-slim
FROM ${BASE}
COPY runner.cjs runner.mjs /usr/lib/plimsoll/
COPY runner /usr/lib/plimsoll/runner
COPY project/node_modules /node_modules
ENV PATH=/node_modules/.bin:/usr/local/bin:/usr/bin:/bin
USER 65534:65534
WORKDIR /work
ENTRYPOINT ["/bin/sh", "/usr/lib/plimsoll/runner/enter", "--container"]
