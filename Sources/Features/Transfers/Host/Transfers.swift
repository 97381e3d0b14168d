// SPDX-License-Identifier: Apache-2.0

import BGRunHost

/// Downloads and uploads that outlive the host.
package enum Transfers {
    /// - Parameter service: The `bgrun-transferd` executable; nil: it is missing.
    package static func feature(service: String? = nil) -> HostFeatureMaker {
        { host, ports in ports.state.map { TransfersFeature(host, $0, service: service) } }
    }
}
