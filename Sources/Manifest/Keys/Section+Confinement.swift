// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// What handlers may do.
extension Section {
    static let confinementWords = "profile, or [mapping](#confinement)"

    static let confine = Section("`confine`") {
        Key(
            "profile", .words(Confinement.Profile.self), default: "`none`",
            "`none`: every right of the user. `default`: system files, the manifest's directory, and "
                + "connections to other machines. `strict`: system files and the task's own data")
        Key(
            "enforce", .words(Confinement.Enforcement.self), default: "`prefer`; strict: `require`",
            "on a machine that lacks a layer of confinement, attempts are refused, or run with the others"
        )
        Key("read", .grants, as: "paths", "files and directories that it may read")
        Key("write", .grants, as: "paths", "files and directories that it may read and write")
        Key(
            "hide", .grants, as: "paths",
            "files and directories that are hidden, also in granted ones")
        Key("sockets", .grants, as: "paths", "UNIX sockets to which it may connect")
        Key("devices", .grants, as: "paths", "devices that it may use")
        Key(
            "network",
            .either([
                .words(Confinement.Network.words.map(\.name)), .section(confinedNetwork),
            ]),
            default: "`outgoing`; strict: `none`",
            as: "`any`, `none`, `outgoing`, or [mapping](#confined-network)",
            "`outgoing`: it may connect, and not listen")
        Key(
            "tasks", .count(1...1_000_000), default: "`512`; strict: `64`",
            "processes and threads at once")
        Key(
            "files", .count(16...1_000_000), default: "`4096`; strict: `1024`",
            "open files of a process")
        Key(
            "memory", .size(16 << 20...1 << 50), default: "no limit; strict: `512MiB`",
            "memory of its processes, read 4 times a second")
        Key("file_size", .size(1...1 << 50), default: "no limit", "largest file that it may write")
        Key(
            "temporary", .size(1 << 20...1 << 40), default: "`256MiB`; strict: `64MiB`",
            "space in each of `/tmp`, `/var/tmp` and `/dev/shm`")
        Key("cpu", .section(processorTime), as: "[mapping](#processor-time)", "limit of its time")
        Key("nice", .count(0...19), default: "`0`", "as for nice(1)")
        Key(
            "environment", .section(keptVariables), as: "[mapping](#kept-variables)",
            "variables of the host that it receives")
        Key(
            "reuse", .words(Confinement.Reuse.self), default: "`warm`; strict: `never`",
            "whether a worker is kept for the next attempt")
    }

    static let confinedNetwork = Section("`network`", id: "confined-network") {
        Key("connect", .ports, default: "all", as: "ports", "TCP ports to which it may connect")
        Key("listen", .ports, default: "none", as: "ports", "TCP ports on which it may listen")
        Key("udp", .flag, default: "`true`", "whether it may use UDP")
    }

    static let processorTime = Section("`cpu`", id: "processor-time") {
        Key("time", .year, default: "no limit", "processor time of a process")
    }

    static let keptVariables = Section("`environment`", id: "kept-variables") {
        Key("keep", .list(of: .text(pattern: "^[^=]+$")), as: "names", "variables that are kept")
    }
}

extension Form {
    static let confinement = either([
        .words(Confinement.Profile.self), .section(Section.confine),
    ])
    /// YAML reads a plain `~` as null.
    fileprivate static let grants = list(of: .either([.path, .null]))
    fileprivate static let ports = list(of: .integer(1...65_535))
}

extension Confinement.Network {
    /// The words of the manifest.
    static let words: [(name: String, word: Confinement.Network)] = [
        ("any", .any), ("none", .none), ("outgoing", .outgoing),
    ]
}
