// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import Glibc

/// The permissions of a caller of the control socket.
enum ControlAccess: Equatable {
    case everything
    /// May ask which tasks run and wait, and why.
    case asking
    case nothing

    /// - Parameters:
    ///   - owner: The host's user.
    ///   - group: The group whose members may ask; nil: only the user and root may.
    static func of(_ peer: PeerCredentials, owner: uid_t, group: gid_t?) -> ControlAccess {
        if peer.user == owner || peer.user == 0 { return .everything }
        guard let group, peer.groups.contains(group) else { return .nothing }
        return .asking
    }

    /// Why `request` is refused; nil if it is permitted.
    func refusal(of request: ControlRequest) -> String? {
        switch (self, request.command) {
        case (.asking, .explain) where request.isForecast:
            "not permitted: members of the control group may ask about the present; only the app's user and "
                + "root may ask for a forecast, which takes the host's time"
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
