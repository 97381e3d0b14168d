// SPDX-License-Identifier: Apache-2.0

/// The architecture: every module, and all it may import. A row names modules of rows above it only,
/// so dependencies go up the page and never in a circle. A module that is not here fails the test.
let architecture: [Module] = [
    // C: no Swift below this line knows what is behind them.
    Module("CBGRunPlugin", []),
    Module("CBGRunShims", []),
    Module("CYAML", []),
    Module("CFFI", []),
    Module("CMD", []),
    Module("CSystemd", []),
    Module("CCurl", []),
    Module("CMosquitto", []),
    Module("CCrypto", []),
    Module("CSQLite", []),

    // Pure: the policy imports nothing, what crosses a process boundary only the policy's values.
    Module("BGRunCore", []),
    Module("BGRunWire", ["BGRunCore"], system: ["Glibc"]),
    Module("BGRunTransfer", ["BGRunCore"]),
    Module(
        "BGRunManifest", ["BGRunCore", "BGRunTransfer", "BGRunWire", "CYAML"],
        system: ["Glibc", "FoundationEssentials"]),
    Module(
        "BGRunSimulation", ["BGRunCore", "BGRunManifest", "BGRunTransfer"],
        system: ["Glibc", "Dispatch", "Synchronization"]),
    Module("BGRunExchange", ["BGRunCore", "BGRunManifest"]),
    Module("BGRunJournal", ["BGRunCore", "BGRunWire", "BGRunManifest"], system: ["Glibc"]),
    Module("BGRunReport", ["BGRunCore"]),

    // Both sides: processes, descriptors and library files.
    Module("BGRunProcess", ["CBGRunShims"], system: ["Glibc"]),
    Module("BGRunLoop", ["BGRunProcess", "CBGRunShims"], system: ["Glibc"]),
    Module("BGRunPluginFile", ["BGRunProcess", "CBGRunPlugin", "CMD"], system: ["Glibc"]),
    Module("BGRunService", ["BGRunLoop", "CBGRunShims"], system: ["Glibc"]),

    // The worker's side: the only modules that load a library.
    Module("BGRunForeign", ["BGRunWire", "CBGRunShims", "CFFI"], system: ["Glibc"], loads: true),
    Module(
        "BGRunWorker",
        [
            "BGRunCore", "BGRunWire", "BGRunForeign", "BGRunPluginFile", "BGRunProcess",
            "BGRunLoop", "CBGRunPlugin", "CBGRunShims",
        ], system: ["Glibc", "Synchronization"], loads: true),
    Module("bgrun-worker", ["BGRunWorker"], system: ["Glibc"]),

    // Talks to web servers, for hooks; nothing else links libcurl.
    Module("bgrun-post", ["CCurl"], system: ["Glibc"]),

    // Talks to MQTT brokers, for pushes; nothing else links libmosquitto.
    Module("bgrun-mqtt", ["BGRunProcess", "CMosquitto"], system: ["Glibc"]),

    // The host's side: adapters, which do not know each other.
    Module(
        "BGRunStore", ["BGRunCore", "BGRunTransfer", "CSQLite"],
        system: ["Glibc", "FoundationEssentials"]),
    Module(
        "BGRunTransferLink",
        ["BGRunCore", "BGRunTransfer", "BGRunProcess", "BGRunLoop", "CBGRunShims"],
        system: ["Glibc", "FoundationEssentials"]),
    Module(
        "BGRunTransferService",
        [
            "BGRunCore", "BGRunTransfer", "BGRunProcess", "BGRunLoop", "BGRunStore",
            "BGRunTransferLink", "CBGRunShims", "CCurl", "CCrypto",
        ], system: ["Glibc", "Dispatch", "FoundationEssentials", "Synchronization"]),
    Module("bgrun-transferd", ["BGRunTransferService"], system: ["Glibc"]),
    Module(
        "BGRunDevice", ["BGRunCore", "BGRunLoop", "CBGRunShims", "CSystemd"], system: ["Glibc"]),
    Module(
        "BGRunSupervisor",
        [
            "BGRunCore", "BGRunWire", "BGRunProcess", "BGRunLoop", "CBGRunPlugin", "CBGRunShims",
        ], system: ["Glibc"]),

    // Every rule a plugin is held to, tried in workers.
    Module(
        "BGRunConformance",
        [
            "BGRunCore", "BGRunWire", "BGRunProcess", "BGRunLoop", "BGRunSupervisor",
            "CBGRunPlugin", "CBGRunShims",
        ], system: ["Glibc"]),

    // Where messages come from, and the server that one of the ways in is.
    Module(
        "BGRunHTTP", ["BGRunLoop", "CBGRunShims"], system: ["Glibc", "Synchronization"]),
    Module(
        "BGRunPush",
        [
            "BGRunCore", "BGRunManifest", "BGRunProcess", "BGRunLoop", "BGRunHTTP", "CBGRunShims",
        ], system: ["Glibc", "FoundationEssentials", "Dispatch", "Synchronization"]),

    // The shell around the policy, and what commands say to it.
    Module(
        "BGRunHost",
        [
            "BGRunCore", "BGRunWire", "BGRunManifest", "BGRunJournal", "BGRunReport",
            "BGRunLoop", "BGRunProcess", "BGRunPush", "BGRunStore", "BGRunSupervisor",
            "BGRunTransfer", "BGRunTransferLink", "CBGRunPlugin", "CBGRunShims",
        ], system: ["Glibc", "FoundationEssentials"]),
    Module(
        "BGRunControl",
        [
            "BGRunCore", "BGRunHost", "BGRunLoop", "BGRunManifest", "BGRunPush", "BGRunReport",
            "BGRunTransfer", "CBGRunShims",
        ],
        system: ["Glibc", "FoundationEssentials"]),
    // Pages about it all.
    Module(
        "BGRunDashboard",
        ["BGRunCore", "BGRunReport", "BGRunControl", "BGRunHTTP", "BGRunSimulation"]),
    // Many hosts: processes of the same bgrun.
    Module(
        "BGRunDaemon",
        ["BGRunCore", "BGRunProcess", "BGRunLoop", "BGRunPluginFile", "CBGRunShims"],
        system: ["Glibc"]),
    Module(
        "bgrun",
        [
            "BGRunCore", "BGRunWire", "BGRunManifest", "BGRunProcess", "BGRunLoop",
            "BGRunSimulation", "BGRunJournal", "BGRunReport", "BGRunPluginFile", "BGRunService",
            "BGRunStore", "BGRunTransfer", "BGRunTransferLink",
            "BGRunDevice",
            "BGRunSupervisor", "BGRunConformance", "BGRunPush", "BGRunHost", "BGRunControl",
            "BGRunHTTP",
            "BGRunDashboard", "BGRunDaemon", "BGRunExchange", "CBGRunShims",
        ],
        system: ["Glibc", "FoundationEssentials", "Dispatch", "Synchronization", "ArgumentParser"]),
]

struct Module: Sendable {
    let name: String
    /// Modules of ours.
    let ours: Set<String>
    /// Modules of the system and of other packages.
    let system: Set<String>
    /// Whether it may call dlopen and its kin.
    let loads: Bool

    init(_ name: String, _ ours: Set<String>, system: Set<String> = [], loads: Bool = false) {
        self.name = name
        self.ours = ours
        self.system = system
        self.loads = loads
    }

    var allowed: Set<String> { ours.union(system) }

    static func named(_ name: String) -> Module? { architecture.first { $0.name == name } }
}
