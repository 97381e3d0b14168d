// SPDX-License-Identifier: Apache-2.0

import BGRunHost

/// What happens outside and submits tasks.
package enum Triggers {
    /// Changes of files.
    /// - Parameter isOn: Not where a scenario says what happens.
    package static func paths(isOn: Bool = true) -> HostFeatureMaker {
        { host, _ in isOn ? PathsFeature(host) : nil }
    }

    /// Connections.
    /// - Parameter isOn: Not where a scenario says what happens.
    package static func sockets(isOn: Bool = true) -> HostFeatureMaker {
        { host, _ in
            isOn && host.ending != .afterOneRound ? SocketsFeature(host) : nil
        }
    }
}
