# The front door. Every target first installs what is missing (deps/setup).

FUZZ_SECONDS ?= 60
SOAK_SECONDS ?= 600
PREFIX ?= /usr/local
export JOBS ?= $(shell nproc)

.DEFAULT_GOAL := help
.PHONY: help setup build run test images test-docker bench fuzz soak lint format install clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 18

setup: ## install the packages that are missing
	@deps/setup

build: setup ## the release build: programs in build/release/bin, examples in build/release/examples
	@tools/build release

run: build ## build, then run one snippet and print its result and its boundary
	@build/release/examples/minimal

test: setup ## every test: release, with an engine, then ASan+UBSan and TSan on the unit tests
	@tools/test

images: setup ## the images that containers run, in build/images; LOAD=1 gives them to the engine
	@images/build $(if $(LOAD),--load)

test-docker: setup ## the part of `test` that needs an engine, under runc and gVisor; needs root
	@PLIMSOLL_REQUIRE_ALL=1 tools/test docker

bench: build ## benchmarks; JSON in build/release/bench
	@tools/bench

fuzz: setup ## fuzz each target for FUZZ_SECONDS (60)
	@FUZZ_SECONDS=$(FUZZ_SECONDS) tools/fuzz

soak: build ## the daemon under load and faults for SOAK_SECONDS (600): no leak, no wrong answer
	@SOAK_SECONDS=$(SOAK_SECONDS) tools/soak

lint: setup ## formatter and linters, clean or it fails
	@tools/lint

format: setup ## rewrite the sources as the formatter wants them
	@tools/format

install: build ## install library, headers and programs under PREFIX (/usr/local); DESTDIR honoured
	@cmake --install build/release --prefix $(PREFIX)

clean: ## remove build/ (the translated engine stays in its cache)
	@rm -rf build
