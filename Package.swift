// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// Every Swift target of ours is built with these: strict, and with no warning left.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// The parsers of external input and what must hold of them: as tests of collected inputs, or for
/// `Scripts/fuzz`, which sets BGRUN_FUZZ, as a program to which `--sanitize fuzzer` adds the main function.
let fuzzed: [Target.Dependency] = [
    "BGRunControl", "BGRunCore", "BGRunExchange", "BGRunHTTP", "BGRunJournal", "BGRunManifest",
    "BGRunPluginFile", "BGRunPush", "BGRunReport", "BGRunSimulation", "BGRunSupervisor",
    "BGRunTransfer", "BGRunTransferLink", "BGRunWire",
]
let fuzz: Target =
    Context.environment["BGRUN_FUZZ"] == nil
    ? .testTarget(
        name: "BGRunFuzzTests", dependencies: fuzzed, exclude: ["Corpus", "Driver", "Regressions"],
        swiftSettings: strict)
    : .executableTarget(
        name: "bgrun-fuzz", dependencies: fuzzed, path: "Tests/BGRunFuzzTests",
        exclude: ["Corpus", "CorpusTests.swift", "Regressions"], swiftSettings: strict)

let package = Package(
    name: "bgrun",
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
    ],
    targets: [
        // MARK: C

        // The ABI: one header and nothing else.
        .target(name: "CBGRunPlugin"),
        // System calls Swift cannot make.
        .target(name: "CBGRunShims"),
        .systemLibrary(
            name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CFFI", pkgConfig: "libffi", providers: [.apt(["libffi-dev"])]),
        // Linked statically: a plugin that has an SHA256Init of its own must not meet this one.
        .systemLibrary(name: "CMD", providers: [.apt(["libmd-dev"])]),
        .systemLibrary(
            name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(
            name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        // Comes with libcurl's TLS, whose processor's instructions for SHA-256 it knows.
        .systemLibrary(
            name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        // With the few calls of SQLite that Swift cannot make.
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),

        // MARK: pure

        // The policy: values and rules, imports nothing.
        .target(name: "BGRunCore", swiftSettings: strict),

        // What crosses a process boundary.
        .target(name: "BGRunWire", dependencies: ["BGRunCore"], swiftSettings: strict),

        // Downloads and uploads that outlive the app: values and rules.
        .target(name: "BGRunTransfer", dependencies: ["BGRunCore"], swiftSettings: strict),

        // YAML in, checked values out.
        .target(
            name: "BGRunManifest",
            dependencies: ["BGRunCore", "BGRunTransfer", "BGRunWire", "CYAML"],
            swiftSettings: strict),

        // A device and handlers that are only described, and the engine on a virtual clock.
        .target(
            name: "BGRunSimulation",
            dependencies: ["BGRunCore", "BGRunManifest", "BGRunTransfer"],
            swiftSettings: strict),

        // Crontabs, timers and plists in, manifests out, and back.
        .target(
            name: "BGRunExchange", dependencies: ["BGRunCore", "BGRunManifest"],
            swiftSettings: strict),

        // What an engine was fed, so that its decisions can be made again.
        .target(
            name: "BGRunJournal", dependencies: ["BGRunCore", "BGRunManifest", "BGRunWire"],
            swiftSettings: strict),

        // What an app did, and how it stands: the values every view of it is made of.
        .target(name: "BGRunReport", dependencies: ["BGRunCore"], swiftSettings: strict),

        // MARK: both sides

        // Which processes an attempt has started, and which one a pid was.
        .target(name: "BGRunProcess", dependencies: ["CBGRunShims"], swiftSettings: strict),

        // Every check of a plugin file that needs no dlopen: owner, mode, ELF, entry, digest.
        .target(
            name: "BGRunPluginFile", dependencies: ["BGRunProcess", "CBGRunPlugin", "CMD"],
            swiftSettings: strict),

        // MARK: the worker's side

        // C functions called through libffi; only the worker links it.
        .target(
            name: "BGRunForeign", dependencies: ["BGRunWire", "CBGRunShims", "CFFI"],
            swiftSettings: strict),

        // The process that loads a plugin.
        .target(
            name: "BGRunWorker",
            dependencies: [
                "BGRunForeign", "BGRunPluginFile", "BGRunProcess", "BGRunWire", "CBGRunPlugin",
                "CBGRunShims",
            ],
            swiftSettings: strict),

        // MARK: the host's side

        // Waits for descriptors, timers and signals.
        .target(
            name: "BGRunLoop", dependencies: ["BGRunProcess", "CBGRunShims"],
            swiftSettings: strict),

        // What systemd is told: readiness, signs of life, entries of the journal.
        .target(
            name: "BGRunService", dependencies: ["BGRunLoop", "CBGRunShims"],
            swiftSettings: strict),

        // What survives the host: SQLite, and the lock that makes it one host per app.
        .target(
            name: "BGRunStore",
            dependencies: ["BGRunCore", "BGRunTransfer", "CSQLite"], swiftSettings: strict),

        // What a host and the transfer service say to each other.
        .target(
            name: "BGRunTransferLink",
            dependencies: [
                "BGRunCore", "BGRunLoop", "BGRunProcess", "BGRunTransfer", "CBGRunShims",
            ],
            swiftSettings: strict),

        // The process that moves files: libcurl on one loop; only it and bgrun-post link libcurl.
        .target(
            name: "BGRunTransferService",
            dependencies: [
                "BGRunCore", "BGRunLoop", "BGRunProcess", "BGRunStore", "BGRunTransfer",
                "BGRunTransferLink", "CBGRunShims", "CCrypto", "CCurl",
            ],
            swiftSettings: strict),

        // What the machine says about itself: files, netlink, the system bus.
        .target(
            name: "BGRunDevice",
            dependencies: ["BGRunCore", "BGRunLoop", "CBGRunShims", "CSystemd"],
            swiftSettings: strict),

        // Worker processes: start, warm pool, ladder, containment.
        .target(
            name: "BGRunSupervisor",
            dependencies: [
                "BGRunCore", "BGRunLoop", "BGRunProcess", "BGRunWire", "CBGRunPlugin",
                "CBGRunShims",
            ],
            swiftSettings: strict),

        // Every rule a plugin is held to, tried in workers.
        .target(
            name: "BGRunConformance",
            dependencies: [
                "BGRunCore", "BGRunLoop", "BGRunProcess", "BGRunSupervisor", "BGRunWire",
                "CBGRunPlugin", "CBGRunShims",
            ],
            swiftSettings: strict),

        // A small HTTP server for programs and pages of this machine: requests in, answers out.
        .target(
            name: "BGRunHTTP", dependencies: ["BGRunLoop", "CBGRunShims"], swiftSettings: strict),

        // Where silent pushes come from: files, a socket, a webhook, a broker.
        .target(
            name: "BGRunPush",
            dependencies: [
                "BGRunCore", "BGRunHTTP", "BGRunLoop", "BGRunManifest", "BGRunProcess",
                "CBGRunShims",
            ],
            swiftSettings: strict),

        // The shell around the policy: events in, actions carried out.
        .target(
            name: "BGRunHost",
            dependencies: [
                "BGRunCore", "BGRunJournal", "BGRunLoop", "BGRunManifest", "BGRunProcess",
                "BGRunPush", "BGRunReport", "BGRunStore", "BGRunSupervisor", "BGRunTransfer",
                "BGRunTransferLink", "BGRunWire", "CBGRunPlugin", "CBGRunShims",
            ],
            swiftSettings: strict),

        // What commands say to a running host.
        .target(
            name: "BGRunControl",
            dependencies: [
                "BGRunCore", "BGRunHost", "BGRunLoop", "BGRunManifest", "BGRunPush", "BGRunReport",
                "BGRunTransfer", "CBGRunShims",
            ],
            swiftSettings: strict),

        // The dashboard's pages, made of values.
        .target(
            name: "BGRunDashboard",
            dependencies: [
                "BGRunControl", "BGRunCore", "BGRunHTTP", "BGRunReport", "BGRunSimulation",
            ],
            swiftSettings: strict),

        // Many apps: a host for each manifest of a directory, and the room they share.
        .target(
            name: "BGRunDaemon",
            dependencies: [
                "BGRunCore", "BGRunLoop", "BGRunPluginFile", "BGRunProcess", "CBGRunShims",
            ],
            swiftSettings: strict),

        // MARK: executables

        .executableTarget(
            name: "bgrun",
            dependencies: [
                "BGRunConformance", "BGRunControl", "BGRunCore", "BGRunDaemon", "BGRunDashboard",
                "BGRunDevice", "BGRunExchange", "BGRunHTTP", "BGRunHost",
                "BGRunJournal", "BGRunLoop",
                "BGRunManifest", "BGRunPluginFile", "BGRunProcess", "BGRunPush", "BGRunReport",
                "BGRunService", "BGRunSimulation", "BGRunStore", "BGRunSupervisor", "BGRunTransfer",
                "BGRunTransferLink", "BGRunWire", "CBGRunShims",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "bgrun-worker", dependencies: ["BGRunWorker"], swiftSettings: strict),
        // Sends what a hook has to say to a web server.
        .executableTarget(name: "bgrun-post", dependencies: ["CCurl"], swiftSettings: strict),

        // Moves an app's files; started by its host, outlives it.
        .executableTarget(
            name: "bgrun-transferd", dependencies: ["BGRunTransferService"], swiftSettings: strict),

        // Takes messages from an MQTT broker for a host.
        .executableTarget(
            name: "bgrun-mqtt", dependencies: ["BGRunProcess", "CMosquitto"],
            swiftSettings: strict),

        // What `make build` builds: the programs that are installed.
        .target(
            name: "Programs",
            dependencies: ["bgrun", "bgrun-mqtt", "bgrun-post", "bgrun-transferd", "bgrun-worker"],
            path: "Packaging/programs", swiftSettings: strict),

        // MARK: tests

        // What may import what, and the rules every source file keeps.
        .testTarget(name: "ArchitectureTests", swiftSettings: strict),
        .testTarget(
            name: "BGRunCoreTests", dependencies: ["BGRunCore", "BGRunJournal", "BGRunWire"],
            exclude: ["Golden"], swiftSettings: strict),
        .testTarget(name: "BGRunWireTests", dependencies: ["BGRunWire"], swiftSettings: strict),
        .testTarget(
            name: "BGRunForeignTests",
            dependencies: ["BGRunForeign", "BGRunWire", "bgrun-foreign-probe"],
            exclude: ["Fixture"], swiftSettings: strict),
        // Runs manifests with the built executables.
        .testTarget(
            name: "BGRunForeignEndToEndTests", dependencies: ["bgrun", "bgrun-worker"],
            swiftSettings: strict),
        .testTarget(
            name: "BGRunPluginFileTests", dependencies: ["BGRunPluginFile"],
            swiftSettings: strict),
        // A machine made for tests: a tree of files, and a private bus with dbusmock on it.
        .target(
            name: "BGRunTestMachine", dependencies: ["CSystemd"], path: "Tests/BGRunTestMachine",
            exclude: ["Fixtures"], swiftSettings: strict),
        // Trees of files, captured messages, and a private bus.
        .testTarget(
            name: "BGRunDeviceTests",
            dependencies: [
                "BGRunCore", "BGRunDevice", "BGRunLoop", "BGRunTestMachine", "CBGRunShims",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BGRunSupervisorTests",
            dependencies: [
                "BGRunCore", "BGRunLoop", "BGRunProcess", "BGRunSupervisor", "BGRunWire",
                "CBGRunPlugin",
            ],
            swiftSettings: strict),
        // Runs the built worker, with a host that is played.
        .testTarget(
            name: "BGRunWorkerTests",
            dependencies: ["BGRunSupervisor", "BGRunWire", "bgrun-worker"],
            exclude: ["Fixtures"], swiftSettings: strict),
        .testTarget(
            name: "BGRunServiceTests",
            dependencies: ["BGRunLoop", "BGRunService", "BGRunTestMachine", "CBGRunShims"],
            swiftSettings: strict),
        .testTarget(
            name: "BGRunDaemonTests",
            dependencies: [
                "BGRunCore", "BGRunDaemon", "BGRunLoop", "BGRunProcess", "CBGRunShims",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BGRunHostTests",
            dependencies: [
                "BGRunControl", "BGRunCore", "BGRunHost", "BGRunJournal", "BGRunLoop",
                "BGRunManifest", "BGRunProcess", "BGRunReport", "BGRunStore", "BGRunSupervisor",
                "BGRunTransfer", "BGRunWire",
            ],
            swiftSettings: strict),
        // A whole host in simulated time: the simulated arms of its ports, and faults drawn from a seed.
        .target(
            name: "BGRunHostSimulation",
            dependencies: [
                "BGRunCore", "BGRunHost", "BGRunJournal", "BGRunLoop", "BGRunManifest",
                "BGRunProcess", "BGRunSimulation", "BGRunStore", "BGRunSupervisor", "BGRunWire",
                "CBGRunShims",
            ],
            path: "Tests/BGRunHostSimulation", swiftSettings: strict),
        .executableTarget(
            name: "bgrun-host-simulator", dependencies: ["BGRunHostSimulation"],
            path: "Tests/BGRunHostSimulator", swiftSettings: strict),
        .testTarget(
            name: "BGRunHostSimulationTests",
            dependencies: [
                "BGRunCore", "BGRunHost", "BGRunHostSimulation", "BGRunLoop", "BGRunSimulation",
                "BGRunStore", "bgrun-host-simulator", "bgrun-worker",
            ],
            exclude: ["Golden"], swiftSettings: strict),
        .testTarget(
            name: "BGRunStoreTests",
            dependencies: [
                "BGRunCore", "BGRunStore", "CSQLite", "BGRunTransfer", "bgrun-store-probe",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BGRunTransferTests", dependencies: ["BGRunCore", "BGRunTransfer"],
            swiftSettings: strict),
        // Asks nginx and servers that misbehave, through the built service.
        .testTarget(
            name: "BGRunTransferServiceTests",
            dependencies: [
                "BGRunCore", "BGRunLoop", "BGRunProcess", "BGRunStore", "BGRunTransfer",
                "BGRunTransferLink", "CBGRunShims", "bgrun-transferd",
            ],
            exclude: ["Fixtures"], swiftSettings: strict),
        // A process for the foreign functions' tests to look at.
        .executableTarget(
            name: "bgrun-foreign-probe", dependencies: ["BGRunForeign", "BGRunWire"],
            path: "Tests/BGRunForeignProbe", swiftSettings: strict),
        // A daemon of hosts that do what a test says.
        .executableTarget(
            name: "bgrun-daemon-probe", dependencies: ["BGRunDaemon", "BGRunLoop"],
            path: "Tests/BGRunDaemonProbe", swiftSettings: strict),
        // Measures the policy: events per second.
        .executableTarget(
            name: "bgrun-core-probe", dependencies: ["BGRunCore"], path: "Tests/BGRunCoreProbe",
            swiftSettings: strict),
        // Measures the journal: what recording and replaying cost.
        .executableTarget(
            name: "bgrun-journal-probe", dependencies: ["BGRunCore", "BGRunJournal"],
            path: "Tests/BGRunJournalProbe", swiftSettings: strict),
        // A process for the store's tests to kill; measures, too.
        .executableTarget(
            name: "bgrun-store-probe", dependencies: ["BGRunCore", "BGRunStore", "BGRunTransfer"],
            path: "Tests/BGRunStoreProbe", swiftSettings: strict),
        // Reads its cases and Docs/manifest.md from the source tree.
        .testTarget(
            name: "BGRunManifestTests", dependencies: ["BGRunManifest", "BGRunCore", "BGRunWire"],
            exclude: ["Cases"], swiftSettings: strict),
        // Reads and makes anew the golden files of its Cases.
        .testTarget(
            name: "BGRunExchangeTests",
            dependencies: ["BGRunCore", "BGRunExchange", "BGRunManifest"], exclude: ["Cases"],
            swiftSettings: strict),
        .testTarget(
            name: "BGRunJournalTests",
            dependencies: ["BGRunCore", "BGRunJournal", "BGRunManifest", "BGRunWire"],
            swiftSettings: strict),
        .testTarget(
            name: "BGRunControlTests",
            dependencies: ["BGRunControl", "BGRunCore", "BGRunLoop", "BGRunReport", "CBGRunShims"],
            swiftSettings: strict),
        // Summaries, and frames of the live view.
        .testTarget(
            name: "BGRunReportTests", dependencies: ["BGRunCore", "BGRunReport"],
            exclude: ["Golden"], swiftSettings: strict),
        // Requests of every sort, and a server that is asked.
        .testTarget(
            name: "BGRunHTTPTests", dependencies: ["BGRunHTTP", "BGRunLoop"],
            swiftSettings: strict),
        // Messages of every sort, and files in an inbox.
        .testTarget(
            name: "BGRunPushTests",
            dependencies: ["BGRunCore", "BGRunHTTP", "BGRunLoop", "BGRunManifest", "BGRunPush"],
            swiftSettings: strict),
        // Pages, compared with files.
        .testTarget(
            name: "BGRunDashboardTests",
            dependencies: ["BGRunControl", "BGRunCore", "BGRunDashboard", "BGRunReport"],
            exclude: ["Golden"], swiftSettings: strict),
        // Reads the scenarios under manifests/scenarios.
        .testTarget(
            name: "BGRunSimulationTests",
            dependencies: ["BGRunCore", "BGRunJournal", "BGRunManifest", "BGRunSimulation"],
            exclude: ["Golden"], swiftSettings: strict),
        // Runs the executables on real plugins, as a user would.
        .testTarget(
            name: "BGRunIntegrationTests",
            dependencies: [
                "BGRunCore", "BGRunJournal", "BGRunTestMachine", "CBGRunShims", "CSQLite", "bgrun",
                "bgrun-daemon-probe", "bgrun-mqtt", "bgrun-post", "bgrun-transferd", "bgrun-worker",
            ],
            exclude: ["Fixtures", "Golden"], swiftSettings: strict),
        fuzz,
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c17
)
