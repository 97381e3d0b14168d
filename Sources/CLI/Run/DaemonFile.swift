// SPDX-License-Identifier: Apache-2.0

import BGRunDaemon
import BGRunManifest
import BGRunStorage
import BGRunSystem
import FoundationEssentials
import Glibc

/// What a daemon says of its hosts, in a file beside their states, for `bgrun apps`.
struct DaemonFile {
    let base: String

    /// No app has a name that begins with a dot.
    private var path: String { base + "/.daemon" }

    /// The right to be the one daemon of this place, for as long as the value lives; another daemon that has
    /// it ends the command.
    ///
    /// - Parameter manifests: The directory the daemon looks at.
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

    struct Content: Codable, Hashable {
        /// Of the daemon.
        var process: Int32
        var startTicks: Int64
        var bootID: String
        var hosts: [HostStatus]

        /// Whether the daemon that wrote it lives.
        var isCurrent: Bool {
            ProcessIdentity(pid: process, startTicks: startTicks, bootID: bootID).isAlive
        }
    }

    /// What the daemon of this place says; nil when none runs.
    func read() -> Content? {
        guard let data = FileManager.default.contents(atPath: path),
            let content = try? JSONDecoder().decode(Content.self, text: data), content.isCurrent
        else { return nil }
        return content
    }

    /// Replaces the file; false when it cannot be.
    @discardableResult
    func write(_ hosts: [HostStatus]) -> Bool {
        guard let me = ProcessIdentity(of: getpid()) else { return false }
        let content = Content(
            process: me.pid, startTicks: me.startTicks, bootID: me.bootID, hosts: hosts)
        guard let text = try? JSONOutput.line(content) else { return false }
        makeBase()
        return AtomicFile.write(text.utf8, to: path, mode: 0o644, isOnly: true)
    }

    func remove() { unlink(path) }
}
