// SPDX-License-Identifier: Apache-2.0

import BGRunConfinement
import BGRunPolicy

/// A machine with a few files, and an app in /home/ada/app with its state in /home/ada/state.
struct SampleMachine {
    var directories: Set = [
        "/", "/usr", "/usr/bin", "/etc", "/opt", "/proc", "/tmp", "/dev", "/dev/shm", "/run",
        "/srv",
        "/home", "/home/ada", "/home/ada/app", "/home/ada/photos", "/home/ada/state",
        "/home/ada/state/org.test", "/home/ada/state/org.test/home", "/root",
    ]
    var files: Set = [
        "/usr/bin/tar", "/etc/passwd", "/etc/shadow", "/dev/null", "/dev/sda", "/run/app.sock",
        "/srv/app.sock",
        "/home/ada/notes", "/home/ada/app/notes.yaml", "/home/ada/app/list",
        "/home/ada/state/org.test/bgrun.sqlite",
    ]
    var links = ["/home/ada/link": "/home/ada/photos"]
    var layers = MachineLayers(namespaceProblem: nil, landlock: 7, hasSeccomp: true)

    func rules(_ change: (inout ConfinementKeys) -> Void = { _ in }) -> AccessRules {
        AccessRules(Self.confinement(change), view(change), layers)
    }

    func view(_ change: (inout ConfinementKeys) -> Void = { _ in }) -> FileView {
        let site = ConfinementSite(
            user: 1000, group: 1000, homes: ["/home", "/root", "/home/ada"],
            guarded: ["/home/ada/app/notes.yaml"], secrets: [], manifestDirectory: "/home/ada/app",
            state: "/home/ada/state/org.test",
            stateBase: "/home/ada/state", data: ["/home/ada/state/org.test/home"],
            worker: "/opt/bgrun/bgrun-worker", variables: [:])
        return FileView(Self.confinement(change), plugin: nil, site, root: ["run"]) { path in
            let path = links[path] ?? path
            if directories.contains(path) { return FileView.Place(path: path, isFile: false) }
            return files.contains(path) ? FileView.Place(path: path, isFile: true) : nil
        }
    }

    private static func confinement(_ change: (inout ConfinementKeys) -> Void) -> Confinement {
        var keys = ConfinementKeys()
        keys.profile = .standard
        change(&keys)
        return Confinement(keys)
    }
}
