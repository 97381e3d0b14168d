// SPDX-License-Identifier: Apache-2.0

extension DeviceState {
    /// The conditions that hold. An unknown reading satisfies none: a request that requires it waits, and its reason
    /// says so.
    package func satisfiedConditions(policy: Policy) -> Conditions {
        var satisfied: Conditions = []
        if externalPower == .yes { satisfied.insert(.externalPower) }
        if network == .yes {
            satisfied.insert(.network)
            if networkMetered == .no { satisfied.insert(.unmeteredNetwork) }
        }
        if userIdle == .yes { satisfied.insert(.idle) }
        if let batteryPercent {
            if batteryPercent >= policy.lowBatteryPercent { satisfied.insert(.batteryNotLow) }
        } else if externalPower == .yes {
            satisfied.insert(.batteryNotLow)
        }
        for reading in PlainReading.all where self[keyPath: reading.path] == reading.good {
            satisfied.insert(reading.condition)
        }
        return satisfied
    }

    /// The conditions for which no reading is known.
    package var unknownConditions: Conditions {
        var unknown: Conditions = []
        if externalPower == .unknown { unknown.insert(.externalPower) }
        if batteryPercent == nil, externalPower != .yes { unknown.insert(.batteryNotLow) }
        if network == .unknown { unknown.formUnion([.network, .unmeteredNetwork]) }
        if network == .yes, networkMetered == .unknown { unknown.insert(.unmeteredNetwork) }
        if userIdle == .unknown { unknown.insert(.idle) }
        for reading in PlainReading.all where self[keyPath: reading.path] == .unknown {
            unknown.insert(reading.condition)
        }
        return unknown
    }
}
