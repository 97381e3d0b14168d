// SPDX-License-Identifier: Apache-2.0

import BGRunConfinement
import BGRunPolicy

/// A machine with the directories of a usual one, and with these files.
struct PlayedMachine {
    static let root = [
        "usr", "bin", "lib", "etc", "opt", "run", "tmp", "var", "dev", "proc", "home", "root",
        "state", "srv",
    ]
    static let directories = [
        "/var", "/dev", "/srv/deep",
        "/usr", "/usr/bin", "/bin", "/lib", "/etc", "/opt", "/run", "/tmp", "/var/tmp", "/dev/shm",
        "/proc", "/home", "/root", "/home/ada", "/home/ada/app", "/home/ada/app/old",
        "/home/ada/.ssh", "/state", "/state/app", "/state/app/home", "/lib/bgrun", "/srv",
        "/run/systemd/resolve", "/dev/pts", "/etc/bgrun",
    ]
    var files: Set<String> = [
        "/home/ada/app/app.yaml", "/home/ada/app/one.so", "/home/ada/app/two.so", "/dev/null",
        "/lib/bgrun/bgrun-worker", "/home/ada/app/notes.txt", "/etc/bgrun/app.yaml",
        "/srv/one", "/srv/app.yaml",
    ]
    var added: Set<String> = []
    /// Names of other paths.
    var links: [String: String] = [:]

    func find(_ path: String) -> FileView.Place? {
        let link = links.keys.first { FileRules.contains($0, path) }
        let path = link.map { links[$0, default: $0] + path.dropFirst($0.count) } ?? path
        if files.contains(path) { return FileView.Place(path: path, isFile: true) }
        let isDirectory = path == "/" || Self.directories.contains(path) || added.contains(path)
        return isDirectory ? FileView.Place(path: path, isFile: false) : nil
    }
}

extension ConfinementSite {
    static func played(
        user: UInt32 = 1000, directory: String = "/home/ada/app",
        guarded: [String] = [], secrets: [String] = []
    ) -> ConfinementSite {
        ConfinementSite(
            user: user, group: 1000, homes: ["/home", "/root", "/home/ada"],
            guarded: [directory + "/app.yaml", directory + "/one.so", directory + "/two.so"]
                + guarded, secrets: secrets, manifestDirectory: directory,
            state: "/state/app",
            stateBase: "/state", data: ["/state/app/home"], worker: "/lib/bgrun/bgrun-worker",
            variables: ["PATH": "/usr/bin", "TOKEN": "secret"])
    }
}

extension FileView {
    static func played(
        _ keys: ConfinementKeys = .standard, plugin: String? = "/home/ada/app/one.so",
        _ site: ConfinementSite = .played(), machine: PlayedMachine = PlayedMachine()
    ) -> FileView {
        FileView(
            Confinement(keys), plugin: plugin, site, root: PlayedMachine.root, find: machine.find)
    }
}

extension ConfinementKeys {
    static let standard = profile(.standard)

    static func profile(_ profile: Confinement.Profile) -> ConfinementKeys {
        var keys = ConfinementKeys()
        keys.profile = profile
        return keys
    }
}
