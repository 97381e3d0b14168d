// SPDX-License-Identifier: Apache-2.0

import BGRunDaemon
import BGRunStorage
import BGRunSystem
import Glibc

/// The default directories of this user's daemon.
enum DaemonPlaces {
    /// The state of all users, which root's daemon hosts; tests replace it.
    static let commonState =
        getenv("BGRUN_COMMON_STATE").map { String(cString: $0) } ?? "/var/lib/bgrun"

    static func manifests() throws(StateDirectoryError) -> String {
        if geteuid() == 0 { return "/etc/bgrun.d" }
        let environment = StatePlaces.environment
        if let directory = environment["XDG_CONFIG_HOME"], directory.hasPrefix("/") {
            return directory + "/bgrun.d"
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else { throw .noHome }
        return home + "/.config/bgrun.d"
    }

    static func state() throws(StateDirectoryError) -> String {
        if geteuid() == 0 { return commonState }
        return try StateDirectory.base(nil, StatePlaces.environment, geteuid())
    }

    /// Whether root's daemon hosts `app`, from this manifest if one is given.
    static func isHosted(_ app: String, by manifest: String? = nil) -> Bool {
        (DaemonFile(base: commonState).read()?.hosts ?? []).contains { host in
            host.app == app && (manifest.map { isSameFile(host.manifest, $0) } ?? true)
        }
    }

    static func isSameFile(_ left: String, _ right: String) -> Bool {
        if left == right { return true }
        var first = stat()
        var second = stat()
        return stat(left, &first) == 0 && stat(right, &second) == 0
            && first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    /// The absolute path of a directory, without a trailing slash.
    static func absolute(_ path: String) -> String {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return AbsolutePath.of(path)
    }
}
