# SPDX-License-Identifier: Apache-2.0
#   make run                 installs the dependencies, builds, runs the demo
#   make test                runs all checks of CI
#   make install PREFIX=...  installs bgrun (default /usr/local); DESTDIR is honoured
#   make uninstall PREFIX=.. removes the installed files
#   make deb                 makes the Debian package in dist; make check-deb tests it in a clean root
#   make audit               builds bgrun-audit; make install and make deb do so first
#   make bench               runs the benchmarks
#   make soak ROUNDS=1000    kills hosts and workers at random moments, in a long run
#   make fuzz SECONDS=10     tests each parser of external input with generated inputs for SECONDS
#   make tsan                runs the tests of the Swift SDK with ThreadSanitizer
#   make mutants             measures which single-line changes the tests detect
#   make format              formats the Swift sources

PREFIX ?= /usr/local
DESTDIR ?=
# Only some shells expand "~" after "=".
override PREFIX := $(abspath $(patsubst ~/%,$(HOME)/%,$(PREFIX)))
BUILD = .build/release
PLUGINS = exec hello-c sqlite-maintenance sync-directory \
	$(shell pkg-config --exists python3-embed && echo python)
DEMO_STATE = .build/demo/state
SWIFT_SOURCES = Package.swift Sources Tests SDK/Package.swift SDK/Sources SDK/Tests
# Debian's Python has the packages of `make deps`.
PYTHON = /usr/bin/python3

.PHONY: run build plugins deps test check-format check-abi check-schema check-plugins check-sdk check-docs \
	check-kits test-plugins install install-built uninstall install-files install-units deb \
	check-packaging check-install check-units check-deb bench format clean
.DEFAULT_GOAL := build

run: build
	Scripts/make-demo-data
	@echo "--- bgrun --manifest manifests/demo.yaml --state $(DEMO_STATE)"
	@$(BUILD)/bgrun --manifest manifests/demo.yaml --state $(DEMO_STATE) || test $$? -eq 1
	@echo "--- bgrun history --manifest manifests/demo.yaml --state $(DEMO_STATE)"
	@$(BUILD)/bgrun history --manifest manifests/demo.yaml --state $(DEMO_STATE)

# The Swift runtime is linked in: bgrun runs where no toolchain is. That makes swiftc export every public
# symbol, which keeps code that nothing calls: no plugin takes one from the worker. Functions with the same
# instructions become one, unless their address is taken. The build ID connects a program with its debug
# information. No library is searched for beside a program. libstdc++ is found as an archive first: to load it
# costs half a millisecond at each start.
# The programs stay position independent; lld packs their 58,000 relative relocations, which gold cannot do
# and glibc reads from 2.36 on.
# The compiler emits accessor functions for metadata: looking a generic type up by its mangled name searches the
# conformances of the whole program.
STATIC = $(CURDIR)/.build/static
RELEASE = swift build -c release --static-swift-stdlib --disable-local-rpath \
	-Xswiftc -L$(STATIC) -Xswiftc -use-ld=lld \
	-Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors \
	-Xlinker --no-export-dynamic -Xlinker --icf=safe -Xlinker --build-id=sha1 \
	$(if $(shell printf '%s\n' 2.36 $$(getconf GNU_LIBC_VERSION | cut -d' ' -f2) | sort -VC && echo yes), \
		-Xlinker -z -Xlinker pack-relative-relocs)
build: deps plugins $(STATIC)
	$(RELEASE) --target Programs

$(STATIC):
	mkdir -p $@
	ln -sf $$($(CC) -print-file-name=libstdc++.a) $@

plugins:
	$(MAKE) -C Plugins

deps:
	@Scripts/require-swift
	@Scripts/install-deps build

test: deps check-format check-abi check-schema check-plugins test-plugins
	swift build --build-tests
	Scripts/run-tests
	Scripts/mutants --check
	Scripts/check-commits
	Scripts/check-host-simulation
	Scripts/fuzz --debug --seconds 1 --seed 1
	$(PYTHON) Tests/Schedules/check_schedules.py
	Scripts/check-crontab-month
	Scripts/check-sdk
	Scripts/check-ios-forms
	Scripts/check-ios-transfers
	Scripts/check-ios-samples
	Scripts/check-kits
	$(MAKE) check-docs
	$(MAKE) check-packaging BUILD=.build/debug

check-format:
	swift format lint --strict --recursive $(SWIFT_SOURCES)

# Size and offset of every field, and every compiler and standard.
check-abi: test-deps
	Scripts/abi-check

check-schema: test-deps
	$(PYTHON) Tests/Schema/check_schema.py

# Runs the tests of each plugin.
check-plugins: test-deps plugins
	$(MAKE) -C Plugins check

# The projects that `bgrun plugin new` writes, in each language.
check-kits: test-deps plugins
	swift build --product bgrun
	swift build --product bgrun-worker
	Scripts/check-kits

# The misbehaving plugins that bgrun must survive.
test-plugins:
	$(MAKE) -C Tests/Misbehaving check

# The Swift SDK's own tests; the samples for iOS authors, built with it and run.
check-sdk:
	swift build --product bgrun
	swift build --product bgrun-worker
	swift build --product bgrun-transferd
	Scripts/check-sdk
	Scripts/check-ios-forms
	Scripts/check-ios-transfers
	Scripts/check-ios-samples

check-docs: plugins
	Scripts/check-messages
	Scripts/check-attacks
	Scripts/check-rules
	Scripts/check-doc-snippets

# Every page in headless Chromium, which is too large for `make test`.
.PHONY: check-dashboard
check-dashboard: plugins
	swift build --product bgrun
	swift build --product bgrun-gateway
	swift build --product bgrun-worker
	Scripts/check-dashboard

.PHONY: test-deps
test-deps: deps
	@Scripts/install-deps test

install: build audit
	$(MAKE) install-built

# Installs through a tree whose files are listed, so that uninstall and the next install know them.
install-built:
	rm -rf .build/installing
	$(MAKE) install-files install-units install-audit DESTDIR=$(CURDIR)/.build/installing
	Scripts/install-tree .build/installing "$(PREFIX)" "$(DESTDIR)"

uninstall:
	Scripts/install-tree --remove "$(PREFIX)" "$(DESTDIR)"

# Installs the build in BUILD without building it. Debhelper strips programs itself.
INSTALL_PROGRAM = Scripts/install-program
install-files:
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include \
		$(DESTDIR)$(PREFIX)/lib/bgrun/plugins $(DESTDIR)$(PREFIX)/lib/pkgconfig \
		$(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bgrun
	$(INSTALL_PROGRAM) $(DESTDIR)$(PREFIX)/bin $(BUILD)/bgrun
	$(INSTALL_PROGRAM) $(DESTDIR)$(PREFIX)/lib/bgrun $(BUILD)/bgrun-worker $(BUILD)/bgrun-init \
		$(BUILD)/bgrun-post $(BUILD)/bgrun-gateway $(BUILD)/bgrun-mqtt $(BUILD)/bgrun-transferd
	install -m 755 $(PLUGINS:%=.build/plugins/libbgrun-%.so) $(DESTDIR)$(PREFIX)/lib/bgrun/plugins
	Scripts/install-headers $(DESTDIR)$(PREFIX)/include
	sed -e 's|@PREFIX@|$(PREFIX)|g' -e "s|@VERSION@|$$($(BUILD)/bgrun --version)|" \
		Scripts/bgrun.pc.in > $(DESTDIR)$(PREFIX)/lib/pkgconfig/bgrun.pc
	install -m 644 Sources/ABI/plugin.version $(DESTDIR)$(PREFIX)/share/bgrun
	rm -rf $(DESTDIR)$(PREFIX)/share/bgrun/kits
	cp -R Kits $(DESTDIR)$(PREFIX)/share/bgrun/kits
	Scripts/install-sdk $(DESTDIR)$(PREFIX)/share/bgrun/sdk
	install -m 644 Docs/man/bgrun.1 $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 manifests/bgrun-manifest-1.schema.json $(DESTDIR)$(PREFIX)/share/bgrun
	Scripts/install-completions $(BUILD)/bgrun $(DESTDIR)$(PREFIX)/share
	install -m 644 Packaging/example.yaml $(DESTDIR)$(PREFIX)/share/bgrun
	sed -e 's|@PREFIX@|$(PREFIX)|g' Packaging/apparmor/bgrun.in > $(DESTDIR)$(PREFIX)/share/bgrun/bgrun.apparmor
	chmod 644 $(DESTDIR)$(PREFIX)/share/bgrun/bgrun.apparmor

# Below a home, systemd searches only share, and only for units of the user.
UNITS = $(if $(filter $(HOME)/%,$(PREFIX)),share/systemd,lib/systemd)
install-units:
	Scripts/install-units "$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/$(UNITS)" \
		$(if $(filter lib/%,$(UNITS)),system) user

# Writes to dist; VERSION is the version of the package, by default that of bgrun with revision 1.
deb: build audit
	@Scripts/install-deps deb
	Scripts/make-deb $(BUILD) dist

# The gate uses the debug build, whose Swift runtime check-deb copies into the root: an extra release
# build would take minutes.
check-packaging: check-install check-units check-deb

check-install: plugins audit-built
	Scripts/check-install $(BUILD)

check-units: test-deps
	Scripts/check-units $(BUILD)

check-deb: test-deps audit-built
	Scripts/check-deb $(BUILD)

# The figures of Docs/benchmarks.md; PARTS="entry idle" for some of them.
bench: build
	@Scripts/install-deps bench
	$(RELEASE) --product bgrun-policy-probe
	$(MAKE) -C Benchmarks
	Benchmarks/run.py $(PARTS)

# The static audit is a separate package, so that `make build` does not wait for swift-syntax, which takes
# ten minutes on two cores.
AUDIT = --package-path Tools/audit --scratch-path .build/audit
AUDIT_BUILT = .build/audit/$(notdir $(BUILD))/bgrun-audit
SWIFT_SOURCES += Tools/audit/Package.swift Tools/audit/Sources Tools/audit/Tests/BGRunAuditTests
.PHONY: audit audit-built check-audit install-audit
test: check-audit

audit: deps $(STATIC)
	$(RELEASE) $(AUDIT) --product bgrun-audit

# Builds the configuration of BUILD if it is missing: check-audit makes the debug build.
audit-built:
	@[ -x $(AUDIT_BUILT) ] || swift build -c $(notdir $(BUILD)) $(AUDIT) --product bgrun-audit

# The audit must find every planted mistake, and nothing in clean code.
check-audit: deps
	swift build --build-tests $(AUDIT)
	swift test --skip-build $(AUDIT)

install-audit:
	@[ -x $(AUDIT_BUILT) ] || { echo "$(AUDIT_BUILT) is missing; 'make audit' builds it" >&2; exit 1; }
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 Docs/man/bgrun-audit.1 $(DESTDIR)$(PREFIX)/share/man/man1
	$(INSTALL_PROGRAM) $(DESTDIR)$(PREFIX)/bin $(AUDIT_BUILT)

# Long tests with random input (SEED repeats a run), and all tests on one processor: there, one that blocks the thread
# it waits for hangs.
ROUNDS = 1000
.PHONY: soak mutants
soak: plugins
	swift build --build-tests
	Scripts/soak --rounds $(ROUNDS) $(if $(SEED),--seed $(SEED))
	taskset -c $$($(PYTHON) -c "import os; print(min(os.sched_getaffinity(0)))") Scripts/run-tests --limit 60
	Scripts/fuzz --seconds 60

# Generated inputs, guided by the code that they reach; ONLY=journal selects a parser.
SECONDS = 10
.PHONY: fuzz
fuzz: deps
	Scripts/fuzz --seconds $(SECONDS) $(if $(SEED),--seed $(SEED)) $(ONLY)

# Too slow for `make test`: a separate build, and several runs of the tests.
.PHONY: tsan
tsan: deps
	Scripts/tsan-sdk

# Which mutants of Tests/Mutants the tests detect, each selected by a switch in one build. ONLY=Host selects some.
mutants: deps
	Scripts/mutants $(foreach name,$(ONLY),--only $(name))

format:
	swift format --in-place --recursive $(SWIFT_SOURCES)

clean:
	rm -rf .build
