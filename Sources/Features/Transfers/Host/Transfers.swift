// SPDX-License-Identifier: Apache-2.0

import BGRunHost

/// Downloads and uploads that outlive the host.
package enum Transfers {
    /// - Parameters:
    ///   - service: The `bgrun-transferd` executable; nil: it is missing.
    ///   - stateOption: `--state` as other commands take it, after a space; empty: it was not given.
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

    /// Whether a transfer moves, or soon will without anything that happens but time.
    package var transfersMove: Bool { transfers?.coordinator.isMoving ?? false }

    /// A person requests a transfer of the manifest now: unless it is under way it is submitted, whatever
    /// date it waits for.
    package func submitTransfer(_ name: String) { transfers?.submit(declared: name) }
}
