// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// Every Swift target of ours is built with these: strict, and with no warning left.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// For code that runs once per command.
let small = SwiftSetting.unsafeFlags(["-Osize"], .when(configuration: .release))

/// A module in a folder of `Sources`, by default the one of its name.
func module(
    _ name: String, _ dependencies: [Target.Dependency] = [], in folder: String? = nil,
    exclude: [String] = [], settings: [SwiftSetting] = []
) -> Target {
    .target(
        name: "BGRun" + name, dependencies: dependencies, path: "Sources/" + (folder ?? name),
        exclude: exclude, swiftSettings: strict + settings)
}

/// A module that adds a feature; it never imports another feature.
func feature(
    _ name: String, _ dependencies: [Target.Dependency], in folder: String? = nil,
    settings: [SwiftSetting] = []
) -> Target {
    module(name, dependencies, in: "Features/" + (folder ?? name), settings: settings)
}

/// A library of Debian.
func library(_ name: String, pkgConfig: String? = nil, apt: String) -> Target {
    .systemLibrary(
        name: "C" + name, path: "Sources/Libraries/" + name, pkgConfig: pkgConfig,
        providers: [.apt([apt])])
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Sources/Programs/" + name,
        swiftSettings: strict)
}

/// Swift Testing; in a folder of `Tests`.
func tests(
    _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

/// A program that tests or benchmarks start.
func probe(_ name: String, _ folder: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Tests/" + folder, swiftSettings: strict)
}

// The order is that of the layers: a target depends on those above it. `Tests/ArchitectureTests` reads the
// graph from here.
let libraries: [Target] = [
    library("YAML", pkgConfig: "yaml-0.1", apt: "libyaml-dev"),
    library("FFI", pkgConfig: "libffi", apt: "libffi-dev"),
    // Linked statically: a plugin that has an SHA256Init of its own must not meet this one.
    library("MD", apt: "libmd-dev"),
    // Linked statically: worker and `bgrun-init` install the finished program.
    library("Seccomp", apt: "libseccomp-dev"),
    // Only the header: `BusConnection` loads the library when there is a bus.
    library("Systemd", apt: "libsystemd-dev"),
    library("Curl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
    library("MicroHTTPD", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev"),
    library("Mosquitto", pkgConfig: "libmosquitto", apt: "libmosquitto-dev"),
    // Comes with libcurl's TLS; it uses the processor's instructions for SHA-256.
    library("Crypto", pkgConfig: "libcrypto", apt: "libssl-dev"),
    // With the few calls of SQLite that Swift cannot make.
    library("SQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
]

let core: [Target] = [
    // The plugin ABI: headers only.
    .target(name: "CBGRunPlugin", path: "Sources/ABI", exclude: ["plugin.version"]),
    // System calls that Swift cannot make.
    .target(name: "CBGRunShims", path: "Sources/System/Shims"),
    // The plan of a worker's confinement, for bgrun-init: a header only.
    .target(name: "CBGRunPlan", path: "Sources/Init"),

    module("Policy"),
    module("System", ["BGRunPolicy", "CBGRunShims"], exclude: ["Shims"]),
    module("EventLoop", ["BGRunSystem", "CBGRunShims"]),
    module("Protocol"),
    module("Manifest", ["BGRunPolicy", "BGRunProtocol", "BGRunSystem", "CYAML"]),
    module("EventLog", ["BGRunManifest", "BGRunPolicy", "BGRunProtocol"]),
    module("Storage", ["BGRunPolicy", "BGRunSystem", "CBGRunShims", "CSQLite"]),
    module(
        "Control",
        ["BGRunManifest", "BGRunPolicy", "BGRunEventLoop", "BGRunSystem", "CBGRunShims"]),
    module(
        "Device",
        ["BGRunPolicy", "BGRunEventLoop", "BGRunSystem", "CBGRunShims", "CSystemd"]),
    module("Inspection", ["BGRunSystem", "CBGRunPlugin", "CMD"]),
    module(
        "Worker",
        [
            "BGRunInspection", "BGRunPolicy", "BGRunProtocol", "BGRunSystem", "CBGRunPlugin",
            "CBGRunShims", "CFFI",
        ]),
    module(
        "Supervisor",
        [
            "BGRunPolicy", "BGRunProtocol", "BGRunEventLoop", "BGRunSystem", "CBGRunPlan",
            "CBGRunPlugin", "CBGRunShims",
        ]),
    // Plans the confinement of workers, and builds filters of system calls.
    module(
        "Confinement",
        [
            "BGRunPolicy", "BGRunEventLoop", "BGRunSupervisor", "BGRunSystem", "CBGRunPlan",
            "CBGRunShims", "CSeccomp",
        ], settings: [small]),
    module(
        "Conformance",
        [
            "BGRunPolicy", "BGRunProtocol", "BGRunSupervisor", "BGRunSystem", "CBGRunPlugin",
            "CBGRunShims",
        ], settings: [small]),
    module("Simulation", ["BGRunManifest", "BGRunPolicy"]),
    module(
        "Host",
        [
            "BGRunControl", "BGRunEventLog", "BGRunManifest", "BGRunPolicy", "BGRunProtocol",
            "BGRunStorage", "BGRunSupervisor", "BGRunEventLoop", "BGRunSystem", "CBGRunPlugin",
            "CBGRunShims",
        ]),
    module(
        "Daemon",
        ["BGRunInspection", "BGRunPolicy", "BGRunEventLoop", "BGRunSystem", "CBGRunShims"]),
    module("HTTP", ["BGRunEventLoop"]),
    // Only `bgrun-gateway` links it.
    module("Gateway", ["BGRunEventLoop", "BGRunHTTP", "CBGRunShims", "CMicroHTTPD"]),
    // Only `bgrun-post` links it.
    module("Post", ["BGRunSystem", "CCurl"]),
    // Only `bgrun-mqtt` links it.
    module("MQTT", ["BGRunPolicy", "BGRunSystem", "CMosquitto"]),
]

let features: [Target] = [
    feature(
        "Hooks",
        [
            "BGRunControl", "BGRunHost", "BGRunManifest", "BGRunPolicy", "BGRunProtocol",
            "BGRunStorage", "BGRunSupervisor", "BGRunEventLoop", "BGRunSystem", "CBGRunPlugin",
            "CBGRunShims",
        ]),
    // Tasks that a changed file or a connection submits.
    feature(
        "Triggers",
        [
            "BGRunHost", "BGRunManifest", "BGRunPolicy", "BGRunSupervisor", "BGRunEventLoop",
        ]),
    // Plugins are told that a person has used the app.
    feature(
        "Visits",
        [
            "BGRunControl", "BGRunHost", "BGRunManifest", "BGRunPolicy", "BGRunProtocol",
            "BGRunStorage", "BGRunSupervisor", "BGRunEventLoop", "CBGRunPlugin", "CBGRunShims",
        ]),
    feature(
        "Pushes",
        [
            "BGRunControl", "BGRunHTTP", "BGRunHost", "BGRunManifest", "BGRunPolicy",
            "BGRunProtocol", "BGRunStorage", "BGRunSupervisor", "BGRunEventLoop", "BGRunSystem",
            "CBGRunPlugin",
            "CBGRunShims",
        ]),
    // Between a host and the transfer service.
    feature("TransferIPC", ["BGRunPolicy", "BGRunEventLoop"], in: "Transfers/IPC"),
    feature(
        "TransferService",
        [
            "BGRunPolicy", "BGRunStorage", "BGRunEventLoop", "BGRunSystem", "BGRunTransferIPC",
            "CBGRunShims",
            "CCrypto", "CCurl",
        ], in: "Transfers/Service"),
    feature(
        "Transfers",
        [
            "BGRunControl", "BGRunHost", "BGRunManifest", "BGRunPolicy", "BGRunProtocol",
            "BGRunStorage", "BGRunSupervisor", "BGRunEventLoop", "BGRunSystem", "BGRunTransferIPC",
            "CBGRunPlugin",
            "CBGRunShims",
        ], in: "Transfers/Host"),
    feature(
        "Dashboard",
        ["BGRunControl", "BGRunDevice", "BGRunHTTP", "BGRunPolicy", "BGRunSimulation"],
        settings: [small]),
    // Crontabs, timers, launchd jobs: to manifests and back.
    feature("SchedulerInterop", ["BGRunManifest", "BGRunPolicy"], settings: [small]),
]

let programs: [Target] = [
    module(
        "CLI",
        [
            "BGRunConfinement", "BGRunConformance", "BGRunControl", "BGRunDaemon", "BGRunDashboard",
            "BGRunDevice",
            "BGRunEventLog", "BGRunHTTP", "BGRunHooks", "BGRunHost", "BGRunInspection",
            "BGRunManifest", "BGRunPolicy", "BGRunProtocol", "BGRunPushes",
            "BGRunSchedulerInterop", "BGRunSimulation", "BGRunStorage", "BGRunSupervisor",
            "BGRunEventLoop", "BGRunSystem", "BGRunTransferIPC", "BGRunTransfers", "BGRunTriggers",
            "BGRunVisits",
            "CBGRunShims",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ], settings: [small]),
    program("bgrun", ["BGRunCLI"]),
    // Confines a worker and executes it: static C, because it runs for each one.
    .executableTarget(
        name: "bgrun-init", dependencies: ["CBGRunPlan"], path: "Sources/Programs/bgrun-init",
        cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])],
        linkerSettings: [
            .unsafeFlags([
                "-nostartfiles", "-static-stdlib", "-Xclang-linker", "-static", "-Xclang-linker",
                "-Wno-unused-command-line-argument",
            ])
        ]),
    // Loads a plugin and runs its handlers.
    program("bgrun-worker", ["BGRunWorker"]),
    // Sends the web requests of hooks.
    program("bgrun-post", ["BGRunPost"]),
    // Moves an app's files; started by its host, outlives it.
    program("bgrun-transferd", ["BGRunTransferService"]),
    // Speaks HTTP for the webhook and the dashboard.
    program("bgrun-gateway", ["BGRunGateway"]),
    // Receives messages from an MQTT broker for a host.
    program("bgrun-mqtt", ["BGRunMQTT"]),
    // `make build` builds this: the programs that are installed.
    .target(
        name: "Programs",
        dependencies: [
            "bgrun", "bgrun-gateway", "bgrun-init", "bgrun-mqtt", "bgrun-post", "bgrun-transferd",
            "bgrun-worker",
        ],
        path: "Sources/Programs/all", swiftSettings: strict),
]

/// The parsers of external input and what must hold of them: as tests of collected inputs, or for
/// `Scripts/fuzz`, which sets BGRUN_FUZZ, as a program to which `--sanitize fuzzer` adds the main function.
let fuzzed: [Target.Dependency] = [
    "BGRunConfinement", "BGRunControl", "BGRunEventLog", "BGRunHTTP", "BGRunInspection",
    "BGRunManifest", "BGRunPolicy", "BGRunProtocol", "BGRunPushes", "BGRunSchedulerInterop",
    "BGRunSimulation", "BGRunSupervisor", "BGRunTransferIPC",
]
let fuzz: Target =
    Context.environment["BGRUN_FUZZ"] == nil
    ? tests("BGRunFuzzTests", fuzzed, exclude: ["Corpus", "Driver", "Regressions"])
    : .executableTarget(
        name: "bgrun-fuzz", dependencies: fuzzed, path: "Tests/BGRunFuzzTests",
        exclude: ["Corpus", "CorpusTests.swift", "Regressions"], swiftSettings: strict)

let testTargets: [Target] = [
    // Which module may import which, and the rules of every source file.
    tests("ArchitectureTests"),
    tests(
        "BGRunPolicyTests", ["BGRunEventLog", "BGRunPolicy", "BGRunProtocol"], exclude: ["Golden"]),
    tests("BGRunProtocolTests", ["BGRunPolicy", "BGRunProtocol"]),
    tests("BGRunInspectionTests", ["BGRunInspection", "BGRunPolicy"]),
    // A machine made for tests: a tree of files, and a private bus with dbusmock on it.
    .target(
        name: "BGRunTestMachine", dependencies: ["CSystemd"], path: "Tests/BGRunTestMachine",
        exclude: ["Fixtures"], swiftSettings: strict, linkerSettings: [.linkedLibrary("systemd")]),
    // Trees of files, captured messages, and a private bus.
    tests(
        "BGRunDeviceTests",
        [
            "BGRunDevice", "BGRunPolicy", "BGRunEventLoop", "BGRunSystem", "BGRunTestMachine",
            "CBGRunShims",
        ]),
    tests(
        "BGRunSupervisorTests",
        [
            "BGRunPolicy", "BGRunProtocol", "BGRunSupervisor", "BGRunEventLoop", "BGRunSystem",
            "CBGRunPlan", "CBGRunPlugin", "CBGRunShims",
        ]),
    // Makes system calls in a process with the filter.
    tests(
        "BGRunConfinementTests",
        ["BGRunConfinement", "BGRunPolicy", "CBGRunPlan", "CSeccomp", "bgrun-confinement-probe"]),
    // Runs the built worker, whose host the test plays; foreign functions are called in the test's process.
    tests(
        "BGRunWorkerTests",
        [
            "BGRunProtocol", "BGRunSupervisor", "BGRunWorker", "CBGRunShims", "bgrun-worker",
            "bgrun-worker-probe",
        ], exclude: ["Fixtures"]),
    tests("BGRunEventLoopTests", ["BGRunEventLoop", "BGRunTestMachine", "CBGRunShims"]),
    tests(
        "BGRunDaemonTests",
        ["BGRunDaemon", "BGRunPolicy", "BGRunEventLoop", "BGRunSystem", "CBGRunShims"]),
    tests(
        "BGRunHostTests",
        [
            "BGRunControl", "CBGRunPlugin", "BGRunEventLog", "BGRunHost", "BGRunManifest",
            "BGRunPolicy",
            "BGRunProtocol", "BGRunStorage", "BGRunSupervisor", "BGRunEventLoop", "BGRunSystem",
            "BGRunHooks", "BGRunPushes", "BGRunTransferIPC", "BGRunTransfers", "BGRunTriggers",
            "BGRunVisits",
        ]),
    // A whole host in simulated time: the simulated arms of its ports, and faults drawn from a seed.
    .target(
        name: "BGRunHostSimulation",
        dependencies: [
            "BGRunEventLog", "BGRunHost", "BGRunManifest", "BGRunPolicy",
            "BGRunProtocol", "BGRunSimulation", "BGRunStorage", "BGRunSupervisor", "BGRunEventLoop",
            "BGRunSystem",
            "CBGRunShims", "BGRunHooks", "BGRunPushes", "BGRunTransfers",
            "BGRunTriggers", "BGRunVisits",
        ],
        path: "Tests/BGRunHostSimulation", swiftSettings: strict),
    probe("bgrun-host-simulator", "BGRunHostSimulator", ["BGRunHostSimulation"]),
    tests(
        "BGRunHostSimulationTests",
        [
            "BGRunHost", "BGRunHostSimulation", "BGRunPolicy", "BGRunSimulation", "BGRunStorage",
            "BGRunEventLoop", "BGRunSystem", "bgrun-host-simulator", "bgrun-worker",
        ], exclude: ["Golden"]),
    tests(
        "BGRunStorageTests",
        ["BGRunPolicy", "BGRunStorage", "BGRunSystem", "CSQLite", "bgrun-storage-probe"],
        exclude: ["Fixtures"]),
    // Asks nginx and servers that misbehave, through the built service.
    tests(
        "BGRunTransferServiceTests",
        [
            "BGRunPolicy", "BGRunStorage", "BGRunEventLoop", "BGRunSystem", "BGRunTransferIPC",
            "BGRunTransferService", "CBGRunShims", "CCurl", "bgrun-transferd",
        ], exclude: ["Fixtures"]),
    // Reads its cases and Docs/manifest.md from the source tree.
    tests(
        "BGRunManifestTests", ["BGRunManifest", "BGRunPolicy", "BGRunProtocol", "BGRunSystem"],
        exclude: ["Cases"]),
    tests(
        "BGRunSchedulerInteropTests", ["BGRunManifest", "BGRunPolicy", "BGRunSchedulerInterop"],
        exclude: ["Cases"]),
    tests(
        "BGRunEventLogTests", ["BGRunEventLog", "BGRunManifest", "BGRunPolicy", "BGRunProtocol"]),
    tests(
        "BGRunControlTests",
        [
            "BGRunControl", "BGRunHost", "BGRunPolicy", "BGRunEventLoop", "BGRunSystem",
            "CBGRunShims",
        ], exclude: ["Views/Golden"]),
    tests("BGRunHTTPTests", ["BGRunHTTP"]),
    // Runs the built gateway; the test plays the server and its clients.
    tests(
        "BGRunGatewayTests",
        ["BGRunEventLoop", "BGRunGateway", "BGRunHTTP", "BGRunSystem", "bgrun-gateway"]),
    tests(
        "BGRunPushesTests",
        [
            "BGRunControl", "BGRunHTTP", "BGRunManifest", "BGRunPolicy", "BGRunPushes",
            "BGRunEventLoop",
        ]),
    tests(
        "BGRunDashboardTests",
        ["BGRunControl", "BGRunDashboard", "BGRunDevice", "BGRunPolicy"],
        exclude: ["Golden"]),
    // Reads the scenarios under manifests/scenarios.
    tests(
        "BGRunSimulationTests",
        ["BGRunDashboard", "BGRunEventLog", "BGRunManifest", "BGRunPolicy", "BGRunSimulation"],
        exclude: ["Golden"]),
    tests(
        "BGRunCLITests",
        [
            "BGRunCLI", "BGRunControl", "BGRunEventLoop", "BGRunHost", "BGRunManifest",
            "BGRunPolicy", "BGRunStorage",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ]),
    // Runs the executables on real plugins, as a user would.
    tests(
        "BGRunIntegrationTests",
        [
            "BGRunEventLog", "BGRunEventLoop", "BGRunPolicy", "BGRunSystem", "BGRunTestMachine",
            "CSQLite", "bgrun", "bgrun-daemon-probe", "bgrun-gateway", "bgrun-init", "bgrun-mqtt",
            "bgrun-post", "bgrun-transferd", "bgrun-worker",
        ], exclude: ["Fixtures", "Golden"]),

    // A process for the tests of the worker's foreign functions to look at.
    probe("bgrun-worker-probe", "BGRunWorkerProbe", ["BGRunProtocol", "BGRunWorker"]),
    // Installs a filter and makes the system calls that a test lists; in C, since Swift cannot make them.
    probe("bgrun-confinement-probe", "BGRunConfinementProbe", []),
    // A daemon of hosts that do what a test says.
    probe("bgrun-daemon-probe", "BGRunDaemonProbe", ["BGRunDaemon", "BGRunEventLoop"]),
    // Measures the policy: events per second.
    probe("bgrun-policy-probe", "BGRunPolicyProbe", ["BGRunPolicy"]),
    // Measures the event log: the cost of recording and replaying.
    probe("bgrun-event-log-probe", "BGRunEventLogProbe", ["BGRunEventLog", "BGRunPolicy"]),
    // A process for the tests of the store to kill; measures, too.
    probe(
        "bgrun-storage-probe", "BGRunStorageProbe", ["BGRunPolicy", "BGRunStorage", "BGRunSystem"]),
    fuzz,
]

let package = Package(
    name: "bgrun",
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
    ],
    targets: libraries + core + features + programs + testTargets,
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c17
)
