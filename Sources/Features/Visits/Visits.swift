// SPDX-License-Identifier: Apache-2.0

import BGRunHost

/// What plugins are told after a person has used the app.
package enum Visits {
    package static func feature() -> HostFeatureMaker {
        { host, _ in try VisitsFeature(host) }
    }
}
