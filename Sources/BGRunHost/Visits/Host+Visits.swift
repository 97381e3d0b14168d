// SPDX-License-Identifier: Apache-2.0

extension Host {
    /// Whether a visit is running or pending.
    public var hasVisits: Bool { feature(VisitsFeature.self)?.hasVisits ?? false }
}
