// SPDX-License-Identifier: Apache-2.0

extension Engine {
    /// Why a factor that does not block is not simply met; nil if it is met. Each case follows the rule of its factor.
    func note(
        of factor: Factor, _ task: Int, _ waiting: Waiting, at now: WallTime
    ) -> Explanation.Note? {
        let policy = configuration.policy
        switch factor {
        case .criticalBattery:
            return device.isChargeUnknown ? .unknown : nil
        case .lowPowerMode:
            return device.lowPowerMode == .unknown ? .unknown : nil
        case .appUsage:
            // The line of a refresh describes its date.
            guard tasks[task].declaration.kind != .appRefresh, policy.usageEligibility > .zero
            else { return nil }
            return facts.lastForeground == nil ? .unknown : nil
        case .thermal:
            return device.thermal == nil ? .unknown : nil
        case .pressure:
            guard policy.pressureWait > .zero else { return nil }
            switch device.pressure {
            case .unknown: return .unknown
            case .yes: return .tolerated
            case .no: return nil
            }
        case .powerPreference:
            if device.isChargeUnknown { return .unknown }
            let enough = device.sufficientCharge(
                afterWaiting: waiting.since.interval(until: now), policy: policy)
            guard let charge = device.batteryPercent, charge < enough else { return nil }
            switch device.externalPower {
            case .unknown: return .unknown
            case .no: return .tolerated
            case .yes: return nil
            }
        case .userActivity:
            return device.userIdle == .unknown ? .unknown : nil
        case .appSwitcher, .refreshSwitch, .budget, .rateLimit:
            return nil
        }
    }
}

extension DeviceState {
    /// Whether external power may be missing while the charge is unknown.
    fileprivate var isChargeUnknown: Bool { externalPower != .yes && batteryPercent == nil }
}
