// SPDX-License-Identifier: Apache-2.0

import BGRunDaemon
import BGRunPolicy
import BGRunStorage
import BGRunSystem

/// The claim of this process to be the one host of an app of its user.
///
/// The lock of a state directory excludes other hosts of that directory. A user's app has two default
/// directories, the user's own and that of root's daemon: while another host has the lock of either, this
/// process is refused, unless `--state` names its directory.
struct HostClaim {
    /// The directory of this host, which exists.
    let state: StateDirectory
    /// The default directories of the app, without `state`; empty if `--state` was given. Only those of
    /// this user count; they may be created at any moment.
    let others: [StateDirectory]

    /// Long enough for a process that has just started or ends, or a command that makes a change.
    private static let leastTimeout = Interval.milliseconds(500)

    /// The lock of the state directory; ends the command if another host does not end within `timeout`.
    func lock(_ manifest: String, within timeout: Interval) throws -> HostLock {
        let clock = SystemClock()
        let timeout = max(timeout, Self.leastTimeout)
        let deadline = clock.now.elapsed.saturatingAdding(timeout.nanoseconds)
        // Before taking its own lock: meanwhile commands would expect a host there.
        try refuseSecond(within: timeout)
        let rest = Interval(nanoseconds: deadline.saturatingSubtracting(clock.now.elapsed))
        let lock = try lock(.me(manifest), within: max(rest, Self.leastTimeout))
        // If two start in different directories, each has its lock by now: at least one sees the other.
        try refuseSecond(within: Self.leastTimeout)
        return lock
    }

    private func lock(_ me: HostLock.Holder, within timeout: Interval) throws -> HostLock {
        do throws(HostLockError) {
            return try HostLock.acquire(state.hostLock, as: me, within: timeout, ofDirectory: true)
        } catch {
            if case .held(let holder) = error, let text = daemon(of: holder, in: state) {
                throw Exit.tryAgain.reporting(text)
            }
            throw error
        }
    }

    /// An unreadable directory has no host of this user.
    private func refuseSecond(within timeout: Interval) throws {
        for other in others where other.isOfThisUser {
            let holder = try? HostLock.holder(of: other.hostLock, after: timeout)
            guard let holder else { continue }
            throw Exit.tryAgain.reporting(
                daemon(of: holder, in: other)
                    ?? "the app has a host already in another state directory, \(other.absolutePath)"
                    + (holder.pid == 0 ? "" : ", process \(holder.pid)")
                    + "; end it and try again, or give --state to run a second copy with its own "
                    + "requests")
        }
    }

    /// The message about a host that a daemon has started, and restarts when it ends; nil: `holder` is not
    /// such a host.
    private func daemon(of holder: HostLock.Holder, in place: StateDirectory) -> String? {
        guard let daemon = DaemonFile(base: ParentDirectory.of(place.absolutePath) ?? "/").read(),
            let host = daemon.hosts.first(where: { $0.process == holder.pid })
        else { return nil }
        return "the app is hosted by the daemon, process \(daemon.process), as process "
            + "\(holder.pid) with its state in \(place.absolutePath); use `submit` and `trigger`, "
            + "or move \(host.manifest) away to have the daemon end that host, or give another "
            + "--state to run a second copy with its own requests"
    }
}
