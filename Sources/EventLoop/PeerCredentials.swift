// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The user at the other end of a UNIX socket, as recorded by the kernel when the connection was made.
package struct PeerCredentials: Equatable, Sendable {
    package var user: uid_t
    /// The primary group and the supplementary ones.
    package var groups: [gid_t]

    package init(user: uid_t, groups: [gid_t]) {
        self.user = user
        self.groups = groups
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
    }

    /// Whether this is the user of this process, or root.
    var isOwner: Bool { user == geteuid() || user == 0 }

    /// SO_PEERGROUPS, which glibc's headers do not export to Swift.
    private static let peerGroups: Int32 = 59

    /// `struct ucred`, which glibc only declares with _GNU_SOURCE.
    private struct Credentials {
        var process: Int32 = 0
        var user: UInt32 = .max
        var group: UInt32 = .max
    }
}
