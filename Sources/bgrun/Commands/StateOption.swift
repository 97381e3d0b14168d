// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunProcess
import BGRunStore
import Glibc

/// Where state is kept.
struct StateOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where state is kept, in a directory named after the app.",
            discussion: "Default: $XDG_STATE_HOME/bgrun, else ~/.local/state/bgrun.",
            valueName: "directory"), completion: .directory)
    var state: String?

    /// Where this user's hosts keep the state of `app`.
    func directory(of app: String) throws(StateDirectoryError) -> StateDirectory {
        try StateDirectory(
            app: app, override: state, environment: Self.environment, userID: geteuid())
    }

    /// The state of `app` that is there: this user's own, unless a daemon of the system keeps it.
    func existing(of app: String) throws -> StateDirectory {
        let own = try directory(of: app)
        guard state == nil, try HostLock.holder(of: own.hostLock) == nil else { return own }
        let shared = try StateDirectory(
            app: app, override: Self.ofSystem, environment: [:], userID: geteuid())
        guard access(shared.path, R_OK | X_OK) == 0 else { return own }
        if access(own.hostLock, F_OK) != 0 { return shared }
        return try HostLock.holder(of: shared.hostLock) == nil ? own : shared
    }

    /// The state directories of every app, of those whose lock can be looked at.
    func all() throws(StateDirectoryError) -> [StateDirectory] {
        let own = try StateDirectory.base(state, Self.environment, geteuid())
        let bases = state == nil && own != Self.ofSystem ? [own, Self.ofSystem] : [own]
        return bases.flatMap { base in
            (Directory.names(in: base) ?? []).sorted().compactMap { app in
                try? StateDirectory(app: app, override: base, environment: [:], userID: geteuid())
            }
        }
    }

    private static let ofSystem = "/var/lib/bgrun"

    /// What the place of state directories depends on.
    static var environment: [String: String] {
        var environment: [String: String] = [:]
        for name in ["XDG_STATE_HOME", "HOME"] {
            if let value = getenv(name) { environment[name] = String(cString: value) }
        }
        return environment
    }
}
