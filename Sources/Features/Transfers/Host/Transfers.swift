// SPDX-License-Identifier: Apache-2.0

import BGRunHost

/// Downloads and uploads that outlive the host.
package enum Transfers {
    /// - Parameters:
    ///   - service: The `bgrun-transferd` executable; nil: it is missing.
    ///   - stateOption: `--state` for other commands, after a space; empty if it was not given.
    package static func feature(
        service: String? = nil, stateOption: String = ""
    ) -> HostFeatureMaker {
        { host, ports in
            ports.state.map {
                TransfersFeature(host, $0, service: service, stateOption: stateOption)
            }
        }
    }
}

extension Host {
    private var transfers: TransfersFeature? { feature() }

    /// Whether a transfer moves, or will soon do so without an event.
    package var transfersMove: Bool { transfers?.coordinator.isMoving ?? false }

    /// A person requests a transfer of the manifest now: submits it unless it is in progress, regardless of its date.
    package func submitTransfer(_ name: String) { transfers?.submit(declared: name) }
}
