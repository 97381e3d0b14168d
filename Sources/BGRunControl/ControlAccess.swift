// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What somebody may have a host do.
enum ControlAccess: Hashable {
    case everything
    /// To ask what runs and waits, and why.
    case asking
    case nothing

    /// - Parameters:
    ///   - owner: The host's user.
    ///   - group: Whose members may ask; nil when there is none.
    static func of(_ peer: ControlPeer, owner: uid_t, group: gid_t?) -> ControlAccess {
        if peer.user == owner || peer.user == 0 { return .everything }
        guard let group, peer.groups.contains(group) else { return .nothing }
        return .asking
    }

    /// Why `command` is not carried out; nil when it is.
    func refusal(of command: ControlRequest.Command) -> String? {
        switch (self, command) {
        case (.everything, _), (.asking, .pending), (.asking, .running), (.asking, .explain),
            (.asking, .watch):
            nil
        case (.asking, _):
            "not permitted: members of the control group may only ask; only the app's user and root "
                + "may do this"
        case (.nothing, _):
            "not permitted: only the app's user, root and members of its `control_group` may do this"
        }
    }
}

/// Who is at the other end of a socket, as the kernel says.
struct ControlPeer: Hashable {
    var user: uid_t
    var groups: [gid_t]

    init(user: uid_t, groups: [gid_t]) {
        self.user = user
        self.groups = groups
    }

    /// Nil when the kernel does not say.
    init?(of descriptor: Int32) {
        var peer = Credentials()
        var size = socklen_t(MemoryLayout<Credentials>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 else { return nil }
        user = peer.user
        var groups = [gid_t](repeating: peer.group, count: 4_096)
        var bytes = socklen_t(groups.count * MemoryLayout<gid_t>.size)
        let isKnown =
            getsockopt(descriptor, SOL_SOCKET, Self.peerGroups, &groups, &bytes) == 0
        self.groups =
            [peer.group] + (isKnown ? groups.prefix(Int(bytes) / MemoryLayout<gid_t>.size) : [])
    }

    /// SO_PEERGROUPS, which the headers of glibc do not show to Swift.
    private static let peerGroups: Int32 = 59

    /// `struct ucred`, which glibc shows only to those who define _GNU_SOURCE.
    private struct Credentials {
        var process: Int32 = 0
        var user: UInt32 = .max
        var group: UInt32 = .max
    }
}
