# SPDX-License-Identifier: Apache-2.0
#   make run                 installs what is needed, builds, runs the demo
#   make test                everything CI runs
#   make install PREFIX=...  installs bgrun (default /usr/local); DESTDIR is honoured
#   make audit               builds bgrun-audit, which make install then installs
#   make bench               measures
#   make format              formats the Swift sources

PREFIX ?= /usr/local
DESTDIR ?=
BUILD = .build/release
PLUGINS = exec hello-c sqlite-maintenance sync-directory \
	$(shell pkg-config --exists python3-embed && echo python)
DEMO_STATE = .build/demo/state
SWIFT_SOURCES = Package.swift Sources Tests SDK/Package.swift SDK/Sources SDK/Tests
# Debian's: the packages of `make deps` belong to it.
PYTHON = /usr/bin/python3

.PHONY: run build plugins deps test check-format check-abi check-schema check-plugins check-sdk check-docs \
	check-kits test-plugins install install-files bench format clean
.DEFAULT_GOAL := build

run: build
	Scripts/make-demo-data
	@echo "--- bgrun --manifest manifests/demo.yaml --state $(DEMO_STATE)"
	@$(BUILD)/bgrun --manifest manifests/demo.yaml --state $(DEMO_STATE) || test $$? -eq 1
	@echo "--- bgrun history --manifest manifests/demo.yaml --state $(DEMO_STATE)"
	@$(BUILD)/bgrun history --manifest manifests/demo.yaml --state $(DEMO_STATE)

# The Swift runtime is linked in: bgrun runs where no toolchain is.
build: deps plugins
	swift build -c release --static-swift-stdlib --product bgrun
	swift build -c release --static-swift-stdlib --product bgrun-worker

plugins:
	$(MAKE) -C Plugins

deps:
	@Scripts/require-swift
	@Scripts/install-deps build

test: deps check-format check-abi check-schema check-plugins test-plugins
	swift build --build-tests
	swift test --skip-build
	Scripts/check-sdk
	Scripts/check-ios-forms
	Scripts/check-kits
	$(MAKE) check-docs

check-format:
	swift format lint --strict --recursive $(SWIFT_SOURCES)

# Size and offset of every field, and every compiler and standard.
check-abi: test-deps
	Scripts/abi-check

check-schema: test-deps
	$(PYTHON) Tests/Schema/check_schema.py

# Each plugin against the real thing.
check-plugins: test-deps plugins
	$(MAKE) -C Plugins check

# What `bgrun plugin new` writes, in each language.
check-kits: test-deps plugins
	swift build --product bgrun
	swift build --product bgrun-worker
	Scripts/check-kits

# The plugins bgrun must survive.
test-plugins:
	$(MAKE) -C Tests/Misbehaving check

# The Swift SDK's own tests; the samples for iOS authors, built with it and run.
check-sdk:
	swift build --product bgrun
	swift build --product bgrun-worker
	Scripts/check-sdk
	Scripts/check-ios-forms

check-docs: plugins
	Scripts/check-doc-snippets

# Every page in headless Chromium, which is too large for `make test`.
.PHONY: check-dashboard
check-dashboard: plugins
	swift build --product bgrun
	swift build --product bgrun-worker
	Scripts/check-dashboard

.PHONY: test-deps
test-deps: deps
	@Scripts/install-deps test

install: build
	$(MAKE) install-files

# What was built, without building it: BUILD says where.
install-files:
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include \
		$(DESTDIR)$(PREFIX)/lib/bgrun/plugins $(DESTDIR)$(PREFIX)/lib/pkgconfig \
		$(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bgrun
	install -m 755 $(BUILD)/bgrun $(DESTDIR)$(PREFIX)/bin/bgrun
	install -m 755 $(BUILD)/bgrun-worker $(DESTDIR)$(PREFIX)/lib/bgrun/bgrun-worker
	install -m 755 $(PLUGINS:%=.build/plugins/libbgrun-%.so) $(DESTDIR)$(PREFIX)/lib/bgrun/plugins
	install -m 644 Sources/CBGRunPlugin/include/bgrun_plugin.h $(DESTDIR)$(PREFIX)/include
	sed -e 's|@PREFIX@|$(PREFIX)|g' -e "s|@VERSION@|$$($(BUILD)/bgrun --version)|" \
		Scripts/bgrun.pc.in > $(DESTDIR)$(PREFIX)/lib/pkgconfig/bgrun.pc
	install -m 644 Sources/CBGRunPlugin/plugin.version $(DESTDIR)$(PREFIX)/share/bgrun
	rm -rf $(DESTDIR)$(PREFIX)/share/bgrun/kits
	cp -R Kits $(DESTDIR)$(PREFIX)/share/bgrun/kits
	Scripts/install-sdk $(DESTDIR)$(PREFIX)/share/bgrun/sdk
	install -m 644 Docs/man/bgrun.1 $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 manifests/bgrun-manifest-1.schema.json $(DESTDIR)$(PREFIX)/share/bgrun
	Scripts/install-completions $(BUILD)/bgrun $(DESTDIR)$(PREFIX)/share

# The figures of Docs/benchmarks.md; PARTS="entry idle" for some of them.
bench: build
	@Scripts/install-deps bench
	swift build -c release --static-swift-stdlib --product bgrun-core-probe
	$(MAKE) -C Benchmarks
	Benchmarks/run.py $(PARTS)

# The static audit: a package of its own, so that nobody else waits for swift-syntax.
AUDIT = --package-path Tools/audit --scratch-path .build/audit
AUDIT_BUILT = .build/audit/release/bgrun-audit
SWIFT_SOURCES += Tools/audit/Package.swift Tools/audit/Sources Tools/audit/Tests/BGRunAuditTests
.PHONY: audit check-audit install-audit
test: check-audit
install: install-audit

audit: deps
	swift build -c release --static-swift-stdlib $(AUDIT) --product bgrun-audit

# Every planted mistake is found, and nothing in clean code.
check-audit: deps
	swift build --build-tests $(AUDIT)
	swift test --skip-build $(AUDIT)

install-audit:
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 Docs/man/bgrun-audit.1 $(DESTDIR)$(PREFIX)/share/man/man1
	@if [ -x $(AUDIT_BUILT) ]; then install -m 755 $(AUDIT_BUILT) $(DESTDIR)$(PREFIX)/bin; \
	else echo "bgrun-audit is not built, so it is not installed; 'make audit' builds it"; fi

format:
	swift format --in-place --recursive $(SWIFT_SOURCES)

clean:
	rm -rf .build
