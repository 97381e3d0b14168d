# SPDX-License-Identifier: Apache-2.0
.PHONY: test deps
test:
	swift test

.PHONY: bench
# The figures of Docs/benchmarks.md; PARTS="entry idle" for some of them.
bench:
	swift build -c release --static-swift-stdlib --product bgrun
	swift build -c release --static-swift-stdlib --product bgrun-worker
	$(MAKE) -C Benchmarks
	Benchmarks/run.py $(PARTS)
