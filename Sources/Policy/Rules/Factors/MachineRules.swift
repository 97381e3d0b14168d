// SPDX-License-Identifier: Apache-2.0

extension DeviceState {
    /// Apple: at the thermal state "serious" an app should reduce its work, at "critical" stop it.
    var thermalVerdict: Decision {
        thermal.map { $0 >= .serious } ?? false ? .blocked(until: nil) : .satisfied
    }

    /// Contention holds work back for `pressure_wait`; if it lasts longer, it counts as the normal state.
    func pressureVerdict(since: WallTime?, policy: Policy, now: WallTime) -> Decision {
        guard pressure == .yes, let since else { return .satisfied }
        return .blocked(until: since.advanced(by: policy.pressureWait), now: now)
    }
}
