// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

/// The readings of the device.
extension ScenarioDecoder {
    func decodeDevice(_ field: Field) -> DeviceScript {
        var script = DeviceScript()
        let example = "device: {power: external, network: unmetered}"
        guard let fields = Fields(field, ScenarioSections.device, bag, example) else {
            return script
        }
        func layers<Value>(
            _ key: String, _ base: Value, inWindow: Value, _ words: [(name: String, word: Value)]
        ) -> Layers<Value> {
            fields[key].map {
                decodeLayers($0, base, inWindow: inWindow) { bag.word($0, words) }
            } ?? Layers(base)
        }
        script.power = layers(
            "power", false, inWindow: true, [("external", true), ("battery", false)])
        script.network = layers(
            "network", .none, inWindow: .unmetered, NetworkKind.allCases.map { ($0.rawValue, $0) })
        let bandwidth = DeviceScript.usualBandwidth
        script.bandwidth =
            fields["bandwidth"].map {
                decodeLayers($0, bandwidth, inWindow: 0) { bag.size($0, in: 0...(1 << 40)) }
            } ?? Layers(bandwidth)
        script.thermal = layers(
            "thermal", .nominal, inWindow: .serious, ThermalState.allCases.map { ($0.name, $0) })
        func truth(_ key: String) -> Layers<Bool>? {
            fields[key].map { decodeLayers($0, false, inWindow: true, bag.bool) }
        }
        script.idle = truth("idle")
        script.lowPowerMode = truth("low_power_mode") ?? script.lowPowerMode
        script.pressure = truth("pressure") ?? script.pressure
        for reading in PlainReading.all {
            script.plain[reading.name] =
                reading.required == nil
                ? truth(reading.name)
                : layers(
                    reading.name, false, inWindow: true,
                    [(reading.words.yes, true), (reading.words.no, false)])
        }
        script.battery = fields["battery"].flatMap(decodeBattery)
        return script
    }

    /// One value for the whole scenario, or a list of windows; a window without `is` means `inWindow`.
    private func decodeLayers<Value>(
        _ field: Field, _ base: Value, inWindow: Value, _ decode: (Field) -> Value?
    ) -> Layers<Value> {
        guard case .sequence = field.node.content else { return Layers(decode(field) ?? base) }
        let layers = bag.items(of: field, example: "[{every: day, at: 22:30, for: 8h}]").compactMap
        {
            item -> Layers<Value>.Layer? in
            guard let fields = windowFields(item) else { return nil }
            let value = fields["is"].map(decode) ?? inWindow
            guard let window = decodeWindow(fields), let value else { return nil }
            return Layers.Layer(value: value, window: window)
        }
        return Layers(base, layers)
    }

    private func decodeBattery(_ field: Field) -> BatteryScript? {
        if case .sequence = field.node.content { return decodePoints(field) }
        let example = "battery: {start: 80%, lasts: 10h, charges_in: 2h}"
        guard let fields = Fields(field, ScenarioSections.rates, bag, example) else { return nil }
        func length(_ key: String) -> Interval? {
            fields[key].flatMap { bag.duration($0, in: .minutes(1) ... .days(366)) }
        }
        guard let start = fields["start"].flatMap(bag.percentage) else { return nil }
        let lasts = length("lasts") ?? .hours(10)
        return .rates(
            start: start, lasts: lasts,
            lastsSuspended: length("lasts_suspended") ?? lasts.multiplied(by: 10),
            chargesIn: length("charges_in") ?? .hours(2))
    }

    private func decodePoints(_ field: Field) -> BatteryScript? {
        var points: [BatteryScript.Point] = []
        for item in bag.items(of: field, example: "battery: [{at: 0s, is: 80%}]") {
            guard
                let fields = Fields(
                    item, ScenarioSections.point, bag, "{at: 4h, is: 60%}"),
                let at = fields["at"],
                let offset = bag.duration(at, in: .zero ... .days(3_660)),
                let percent = fields["is"].flatMap(bag.percentage)
            else { continue }
            if let last = points.last, last.at >= offset {
                bag.error(
                    .outOfRange, at: at.node.span,
                    "this point is not after the one before it", help: "put the points in order")
            }
            points.append(BatteryScript.Point(at: offset, percent: percent))
        }
        return points.isEmpty ? nil : .points(points)
    }
}
