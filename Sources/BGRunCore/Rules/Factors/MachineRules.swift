// SPDX-License-Identifier: Apache-2.0

extension DeviceState {
    /// Apple: at the thermal state "serious" an app is to reduce its work, at "critical" to stop.
    public var thermalVerdict: Verdict {
        thermal.map { $0 >= .serious } ?? false ? .blocked(until: nil) : .satisfied
    }

    /// While processor, memory or disk are contended nothing more is started.
    public var pressureVerdict: Verdict {
        pressure == .yes ? .blocked(until: nil) : .satisfied
    }
}
