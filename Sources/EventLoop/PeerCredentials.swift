// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import Glibc

/// The process at the other end of a UNIX socket and its user, as recorded by the kernel when the connection was made.
package struct PeerCredentials: Equatable, Sendable {
    package var user: uid_t
    /// The primary group and the supplementary ones.
    package var groups: [gid_t]
    package var process: Process

    package enum Process: Equatable, Sendable {
        case known(ProcessIdentity)
        /// It had ended before it was looked for, or is hidden in `/proc`.
        case unknown
        /// It is in a PID namespace that is not below this one.
        case outside
    }

    package init(user: uid_t, groups: [gid_t], process: Process = .unknown) {
        self.user = user
        self.groups = groups
        self.process = process
    }

    /// Nil if the kernel has no credentials for `descriptor`.
    package init?(of descriptor: Int32) {
        var peer = Credentials()
        var size = socklen_t(MemoryLayout<Credentials>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 else { return nil }
        user = peer.user
        var groups = [gid_t](repeating: peer.group, count: 4_096)
        var bytes = socklen_t(groups.count * MemoryLayout<gid_t>.size)
        let isKnown = getsockopt(descriptor, SOL_SOCKET, Self.peerGroups, &groups, &bytes) == 0
        self.groups =
            [peer.group] + (isKnown ? groups.prefix(Int(bytes) / MemoryLayout<gid_t>.size) : [])
        process = Self.process(peer.process, of: descriptor)
    }

    /// Whether this is the user of this process, or root.
    var isOwner: Bool { user == geteuid() || user == 0 }

    private static func process(_ pid: pid_t, of descriptor: Int32) -> Process {
        guard pid > 0 else { return .outside }
        guard let identity = ProcessIdentity(of: pid), isOf(descriptor) else { return .unknown }
        return .known(identity)
    }

    /// Whether the peer still runs, so that its ID is not another process's; true if the kernel cannot tell: before
    /// Linux 6.5.
    private static func isOf(_ descriptor: Int32) -> Bool {
        var process: Int32 = -1
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, peerProcess, &process, &size) == 0 else {
            return [ENOPROTOOPT, EMFILE, ENFILE, ENOMEM].contains(errno)
        }
        defer { close(process) }
        // Readable once it has ended.
        var polled = pollfd(fd: process, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, 0) == 0
    }

    /// SO_PEERGROUPS and SO_PEERPIDFD, which glibc's headers do not export to Swift.
    private static let peerGroups: Int32 = 59
    private static let peerProcess: Int32 = 77

    /// `struct ucred`, which glibc only declares with _GNU_SOURCE.
    private struct Credentials {
        var process: Int32 = 0
        var user: UInt32 = .max
        var group: UInt32 = .max
    }
}
