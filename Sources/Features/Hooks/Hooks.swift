// SPDX-License-Identifier: Apache-2.0

import BGRunHost

/// Commands and web requests after what becomes of tasks.
package enum Hooks {
    /// - Parameter areRun: Otherwise the log says which would be.
    package static func feature(areRun: Bool = true) -> HostFeatureMaker {
        { try HooksFeature($0, $1, areRun: areRun) }
    }
}
