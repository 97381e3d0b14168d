// SPDX-License-Identifier: Apache-2.0

import BGRunDaemon
import BGRunManifest
import BGRunStorage
import BGRunSystem
import FoundationEssentials
import Glibc

/// A daemon's report about its hosts, in a file beside their states, for `bgrun apps`.
struct DaemonFile {
    let base: String

    /// No app name begins with a dot.
    private var path: String { base + "/.daemon" }

    /// The right to be the only daemon of this place, for the lifetime of the value; ends the command if
    /// another daemon has it.
    ///
    /// - Parameter manifests: The directory that the daemon watches.
    func lock(_ manifests: String) throws -> HostLock {
        makeBase()
        do throws(HostLockError) {
            return try HostLock.acquire(base + "/.daemon.lock", as: .me(manifests))
        } catch {
            guard case .held(let holder) = error else { throw error }
            throw Exit.tryAgain.reporting(
                "a daemon keeps the state of its apps in \(base) already"
                    + (holder.pid == 0 ? "" : ", process \(holder.pid)")
                    + "; end it, or give another --state")
        }
    }

    private func makeBase() {
        try? FileManager.default.createDirectory(
            atPath: base, withIntermediateDirectories: true,
            attributes: [.posixPermissions: geteuid() == 0 ? 0o755 : 0o700])
    }

    struct Content: Codable, Equatable {
        /// The process of the daemon.
        var process: Int32
        var startTicks: Int64
        var bootID: String
        var hosts: [HostStatus]

        /// Whether the daemon that wrote it still runs.
        var isCurrent: Bool {
            ProcessIdentity(pid: process, startTicks: startTicks, bootID: bootID).isAlive
        }
    }

    /// The report of the daemon of this place; nil without a daemon.
    func read() -> Content? {
        guard let data = FileManager.default.contents(atPath: path),
            let content = try? JSONDecoder().decode(Content.self, text: data), content.isCurrent
        else { return nil }
        return content
    }

    /// Replaces the file; false if that fails.
    @discardableResult
    func write(_ hosts: [HostStatus]) -> Bool {
        guard let me = ProcessIdentity(of: getpid()) else { return false }
        let content = Content(
            process: me.pid, startTicks: me.startTicks, bootID: me.bootID, hosts: hosts)
        guard let text = try? JSONOutput.line(content) else { return false }
        makeBase()
        return AtomicFile.write(text.utf8, to: path, by: path + ".new", mode: 0o644)
    }

    func remove() { unlink(path) }
}
