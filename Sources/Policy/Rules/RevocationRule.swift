// SPDX-License-Identifier: Apache-2.0

extension DeviceState {
    /// Why an attempt to which `factors` apply may not continue on this device, regardless of its task's conditions;
    /// nil if it may.
    ///
    /// Apple: at the thermal state "critical" everything stops; low power mode and a critically low battery stop the
    /// kinds that they delay, and a returning person stops processing.
    func revocation(through factors: Factors, policy: Policy) -> StopReason? {
        if factors.contains(.thermal), thermal == .critical { return .thermal }
        if factors.contains(.criticalBattery),
            criticalBatteryVerdict(policy: policy) != .satisfied
        {
            return .lowBattery
        }
        if factors.contains(.lowPowerMode), lowPowerMode == .yes { return .lowPowerMode }
        if factors.contains(.userActivity), userActivityVerdict != .satisfied { return .userActive }
        return nil
    }
}
