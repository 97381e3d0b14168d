// SPDX-License-Identifier: Apache-2.0

import BGRunStorage
import BGRunSystem
import Glibc

/// The directories of app states.
struct StatePlaces: Sendable {
    /// The given directory; nil: the defaults, this user's own and that of root's daemon.
    var override: String?

    /// The option `--state` for another command line, after a space; empty if it was not given.
    var arguments: String { override.map { " --state \($0)" } ?? "" }

    /// The state directory of `app` for hosts of this user.
    func directory(of app: String) throws(StateDirectoryError) -> StateDirectory {
        try StateDirectory(
            app: app, override: override, environment: Self.environment, userID: Rights.startedAs)
    }

    /// The existing state of `app`: this user's own, unless root's daemon hosts it.
    ///
    /// - Parameter manifest: The manifest, if the command names it.
    func existing(of app: String, manifest: String? = nil) throws -> StateDirectory {
        let own = try directory(of: app)
        guard override == nil else { return own }
        let common = try StateDirectory(of: app, in: DaemonPlaces.commonState)
        if let manifest {
            // The running host counts, regardless of its manifest: a user has one host per app.
            let isCommon = common.hasHostOfThisUser
            if isCommon != own.hasHostOfThisUser { return isCommon ? common : own }
            return DaemonPlaces.isHosted(app, by: manifest) ? common : own
        }
        guard access(common.path, X_OK) == 0 else { return own }
        if try HostLock.holder(of: own.hostLock) != nil { return own }
        let isOwn = access(own.hostLock, F_OK) == 0 && !DaemonPlaces.isHosted(app)
        return isOwn ? own : common
    }

    /// The default directories of `app` without `state`, which may be missing or another user's; empty
    /// if `--state` was given.
    ///
    /// - Parameter isHosted: By a daemon, which passes `--state` even for a default directory.
    func others(than state: StateDirectory, isHosted: Bool) -> [StateDirectory] {
        guard override == nil || isHosted else { return [] }
        let app = state.app
        let own = try? StatePlaces(override: nil).directory(of: app)
        let common = try? StateDirectory(of: app, in: DaemonPlaces.commonState)
        let usual = [own, common].compactMap(\.self)
        func isState(_ place: StateDirectory) -> Bool {
            DaemonPlaces.isSameFile(place.path, state.path)
        }
        guard usual.contains(where: isState) else { return [] }
        return usual.filter { !isState($0) }
    }

    /// The last manifest of `app`; ends the command without one.
    func manifest(of app: String) throws -> String {
        let state = try existing(of: app)
        guard let path = try HostLock.lastHolder(of: state.hostLock)?.manifest else {
            throw Self.unknown(app, state)
        }
        return path
    }

    /// The state of `app`; ends the command if the app has not been run.
    func known(_ app: String) throws -> StateDirectory {
        let state = try existing(of: app)
        // Where this user has no access, the host may still answer.
        guard access(state.hostLock, F_OK) == 0 || errno != ENOENT else {
            throw Self.unknown(app, state)
        }
        return state
    }

    private static func unknown(_ app: String, _ state: StateDirectory) -> any Error {
        Exit.noInput.reporting(
            "no app \(app) has been run here, its state would be in \(state.path); "
                + "give its --manifest, or its --state")
    }

    /// The state directories of every app.
    func all() throws(StateDirectoryError) -> [StateDirectory] {
        let own = try StateDirectory.base(override, Self.environment, Rights.startedAs)
        let common = DaemonPlaces.commonState
        let bases = override == nil && own != common ? [own, common] : [own]
        return bases.flatMap { base in
            (Directory.names(in: base) ?? []).sorted().compactMap {
                try? StateDirectory(of: $0, in: base)
            }
        }
    }

    /// The directories in which the daemons of these apps may keep state.
    var daemons: [String] {
        if let override { return [DaemonPlaces.absolute(override)] }
        let own = try? StateDirectory.base(nil, Self.environment, Rights.startedAs)
        return Set([DaemonPlaces.commonState] + [own].compactMap(\.self)).sorted()
    }

    /// The directories with a store that this user may read.
    func stored() throws(StateDirectoryError) -> [StateDirectory] {
        try all().filter { access($0.database, R_OK) == 0 }
    }

    /// The environment variables that determine the places of states and manifests.
    static var environment: [String: String] {
        ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "HOME"].reduce(into: [:]) { values, name in
            values[name] = getenv(name).map { String(cString: $0) }
        }
    }
}

extension StateDirectory {
    /// The state of `app` in the directory `base`.
    init(of app: String, in base: String) throws(StateDirectoryError) {
        try self.init(app: app, override: base, environment: [:], userID: Rights.startedAs)
    }

    var isOfThisUser: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_uid == Rights.startedAs
    }

    fileprivate var hasHostOfThisUser: Bool { isOfThisUser && (try? hasHost) == true }
}
