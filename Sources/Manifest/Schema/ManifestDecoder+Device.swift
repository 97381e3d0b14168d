// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The device and the policy.
extension ManifestDecoder {
    func decodeDevice(_ field: Field) -> DeviceState {
        var device = DeviceState()
        let example = "device: {power: external, network: unmetered}"
        guard let fields = Fields(field, .device, bag, example) else { return device }
        device.externalPower = reading(
            fields["power"], [("external", .yes), ("battery", .no)])
        device.batteryPercent = fields["battery"].flatMap(bag.percentage)
        device.lowPowerMode = reading(fields.flag("low_power_mode"))
        device.userIdle = reading(fields.flag("idle"))
        if let network = fields["network"] {
            typealias Network = (network: Reading, metered: Reading)
            let words: [(name: String, word: Network)] = [
                ("none", (.no, .unknown)), ("metered", (.yes, .yes)), ("unmetered", (.yes, .no)),
            ]
            if let word = bag.word(network, words) {
                (device.network, device.networkMetered) = word
            }
        }
        if let thermal = fields["thermal"] {
            device.thermal = bag.word(thermal, ThermalState.allCases.map { ($0.name, $0) })
        }
        if let pressure = fields["pressure"] { device.pressure = decodePressure(pressure) }
        for plain in PlainReading.all {
            guard plain.required != nil else {
                device[keyPath: plain.path] = reading(fields.flag(plain.name))
                continue
            }
            device[keyPath: plain.path] = reading(
                fields[plain.name], [(plain.words.no, .no), (plain.words.yes, .yes)])
        }
        return device
    }

    /// Contention counts from its beginning, which a manifest does not state.
    private func decodePressure(_ field: Field) -> Reading {
        guard field.scalar?.text != "high" else {
            bag.error(
                .unknownWord, at: field.node.span,
                "`pressure: high` delays nothing: contention that exists when the host starts has no "
                    + "effect",
                help: "drop it; to see what contention does, write `pressure` in a scenario of "
                    + "`bgrun simulate`")
            return .unknown
        }
        return bag.word(field, [("normal", .no)]) ?? .unknown
    }

    private func reading(_ field: Field?, _ words: [(name: String, word: Reading)]) -> Reading {
        field.flatMap { bag.word($0, words) } ?? .unknown
    }

    private func reading(_ value: Bool?) -> Reading {
        value.map { $0 ? .yes : .no } ?? .unknown
    }

    func decodePolicy(_ field: Field) -> Policy {
        guard let fields = Fields(field, .policy, bag, "policy: {profile: server}")
        else { return .apple }
        var policy = Policy.profile(fields.word("profile") ?? .apple)
        for setting in PolicySetting.all {
            let key = setting.name
            let value: Int64? =
                switch setting.field {
                case .count: fields.count(key).map { Int64($0) }
                case .duration: fields.duration(key)?.nanoseconds
                case .size, .sizeOrNone: fields.size(key)
                case .percentage: fields[key].flatMap(bag.percentage).map { Int64($0) }
                case .flag: fields.flag(key).map { $0 ? 1 : 0 }
                }
            if let value { setting.set(value, in: &policy) }
        }
        if let grace = fields["grace"] ?? fields["grace_maximum"],
            policy.grace > policy.graceMaximum
        {
            bag.error(
                .graceOverMaximum, at: grace.node.span,
                "the policy's grace of \(Quantity.text(policy.grace)) is over its maximum of "
                    + Quantity.text(policy.graceMaximum),
                help: "lower `grace`, or raise `grace_maximum`")
        }
        return policy
    }
}
