// SPDX-License-Identifier: Apache-2.0

import BGRunHost

extension Host {
    /// Whether a visit is running or pending.
    package var hasVisits: Bool { feature(VisitsFeature.self)?.hasVisits ?? false }
}
