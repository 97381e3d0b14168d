// SPDX-License-Identifier: Apache-2.0

import BGRunHost

/// External events that submit tasks.
package enum Triggers {
    /// Changes of files.
    /// - Parameter isOn: False if a scenario supplies the events.
    package static func paths(isOn: Bool = true) -> HostFeatureMaker {
        { host, _ in isOn ? PathsFeature(host) : nil }
    }

    /// Connections.
    /// - Parameter isOn: False if a scenario supplies the events.
    package static func sockets(isOn: Bool = true) -> HostFeatureMaker {
        { host, _ in
            isOn && host.ending != .afterOneRound ? SocketsFeature(host) : nil
        }
    }
}
