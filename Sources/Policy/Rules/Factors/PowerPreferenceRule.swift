// SPDX-License-Identifier: Apache-2.0

extension DeviceState {
    /// How long a request that prefers power waits without it; nil if power is not missing.
    ///
    /// Apple: without requiresExternalPower the system still waits for charging, with less certainty. The sufficient
    /// charge falls evenly from 100 % at once to the low gate at the starvation deadline, after which no request waits.
    /// An unknown charge does not count as empty.
    package func powerPreferenceWait(policy: Policy) -> Interval {
        guard externalPower == .no, let batteryPercent, policy.starvationDeadline > .zero else {
            return .zero
        }
        let span = Int64(100 - policy.lowBatteryPercent)  // fits: 0 to 100
        let lacking = Int64(min(max(0, 100 - batteryPercent), 100))  // fits: 0 to 100
        guard span > 0, lacking < span else { return policy.starvationDeadline }
        return Interval(nanoseconds: policy.starvationDeadline.nanoseconds / span * lacking)
    }

    /// The sufficient charge for a request that has waited for `wait`, in percent.
    package func sufficientCharge(afterWaiting wait: Interval, policy: Policy) -> Int {
        guard policy.starvationDeadline > .zero else { return 0 }
        let span = Int64(100 - policy.lowBatteryPercent)  // fits: 0 to 100
        let step = max(1, policy.starvationDeadline.nanoseconds / max(1, span))
        return Int(max(Int64(policy.lowBatteryPercent), 100 - max(0, wait.nanoseconds) / step))
    }
}
