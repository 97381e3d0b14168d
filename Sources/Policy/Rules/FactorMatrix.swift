// SPDX-License-Identifier: Apache-2.0

extension TaskKind {
    /// The factors that apply to this kind (features 2.3). Processing needs power when the battery is low, unless it
    /// has no preference for power (`starvation_deadline: 0s`). Only the machine holds back continued work: a person
    /// waits for it.
    package var factors: [Factor] {
        let machine: [Factor] = [.thermal, .pressure]
        let switches: [Factor] = [.appSwitcher, .refreshSwitch]
        let energy: [Factor] = [.criticalBattery, .lowPowerMode]
        switch self {
        case .appRefresh:
            return switches + energy + [.appUsage, .budget, .rateLimit] + machine
        case .push:
            return switches + energy + [.budget, .rateLimit] + machine
        case .transfer:
            return switches + [.budget, .rateLimit] + machine
        case .processing:
            return switches + [.criticalBattery, .appUsage, .rateLimit] + machine
                + [.powerPreference, .userActivity]
        case .continued:
            return [.appSwitcher] + machine
        }
    }

    /// Whether requests from its own handlers keep the distance `processing_spacing`, not only `resubmission_spacing`.
    /// Refreshes and pushes have their own distances.
    var isSpacedFromItself: Bool {
        switch self {
        case .processing, .transfer, .continued: true
        case .appRefresh, .push: false
        }
    }

    /// Whether the system grants and revokes attempts of this kind. A person does so for continued work.
    var isDiscretionary: Bool { self != .continued }
}
