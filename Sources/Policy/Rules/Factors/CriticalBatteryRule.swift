// SPDX-License-Identifier: Apache-2.0

extension DeviceState {
    /// Apple: below 20 % all discretionary work is paused. Power lifts it; an unknown charge is not low.
    package func criticalBatteryVerdict(policy: Policy) -> Decision {
        guard let batteryPercent, externalPower != .yes else { return .satisfied }
        return batteryPercent < policy.lowBatteryPercent ? .blocked(until: nil) : .satisfied
    }
}
