// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

/// Converts the tree of a scenario into a `Scenario`, and reports all problems.
struct ScenarioDecoder {
    let bag: DiagnosticBag
    let manifest: Manifest
    /// The duration of the scenario, which limits all recurrences.
    private(set) var duration = Interval.days(1)

    static let lengths = Interval.milliseconds(1) ... .days(3_660)

    mutating func decode(_ root: Node, path: String) -> Scenario? {
        guard isOurVersion(root) else { return nil }
        let field = Field(name: "the scenario", node: root)
        guard let fields = Fields(field, ScenarioSections.root, bag, "scenario: 1")
        else { return nil }
        duration = fields["duration"].flatMap { bag.duration($0, in: Self.lengths) } ?? duration
        let handlers = fields["handlers"].map(decodeHandlers) ?? [:]
        return Scenario(
            name: fields["name"].flatMap { bag.text($0, example: "name: a week") }
                ?? Self.name(ofFile: path),
            start: fields["start"].flatMap(decodeStart) ?? CivilTime(seconds: 0),
            zone: fields["zone"].flatMap(decodeZone) ?? .utc, duration: duration,
            seed: fields["seed"].flatMap { bag.integer($0, in: UInt64.min...UInt64.max) } ?? 1,
            jitter: fields["jitter"].flatMap(decodeJitter) ?? .zero,
            device: fields["device"].map(decodeDevice) ?? DeviceScript(),
            suspended: fields["suspend"].map(decodeSuspended) ?? [],
            events: fields["events"].map(decodeEvents) ?? [], handlers: handlers,
            transfers: decodeTransfers(fields["transfers"]))
    }

    /// `scenario` on the device of another one, whose other parts do not count.
    mutating func decodeTrace(_ root: Node, on scenario: Scenario) -> Scenario? {
        guard isOurVersion(root) else { return nil }
        let field = Field(name: "the device trace", node: root)
        guard let fields = Fields(field, ScenarioSections.trace, bag, "scenario: 1")
        else { return nil }
        duration = scenario.duration
        var moved = scenario
        moved.device = fields["device"].map(decodeDevice) ?? DeviceScript()
        moved.suspended = fields["suspend"].map(decodeSuspended) ?? []
        return moved
    }

    private func isOurVersion(_ root: Node) -> Bool {
        guard case .mapping(let entries) = root.content,
            let entry = entries.first(where: { $0.key.text == "scenario" }),
            case .scalar(let scalar) = entry.value.content, scalar.integer(Int.self) != 1
        else { return true }
        bag.error(
            .unsupportedVersion, at: entry.value.span,
            "this bgrun reads scenarios of version 1, not \(quoted(scalar.text))",
            help: "write `scenario: 1`, or use the bgrun this scenario was written for")
        return false
    }

    private func decodeStart(_ field: Field) -> CivilTime? {
        guard let text = bag.verbatim(field, example: "start: 2026-03-02 06:00") else { return nil }
        if let civil = ClockText.dateAndTime(text) { return civil }
        if ClockText.looksLikeDate(text) {
            return bag.refuse(
                .outOfRange, at: field.node.span, "\(quoted(text)) is not a date",
                help: "write a date that exists: `\(field.name): 2026-03-02 06:00`")
        }
        return bag.refuseType(
            field, expected: "a date and a time of day",
            help: "write `\(field.name): 2026-03-02 06:00`")
    }

    private func decodeZone(_ field: Field) -> ZoneRules? {
        guard let name = bag.text(field, example: "zone: Europe/Berlin") else { return nil }
        do throws(ZoneRules.Failure) {
            return try ZoneRules.named(name)
        } catch {
            return bag.refuse(
                .unknownWord, at: field.node.span,
                error == .unknown
                    ? "this machine knows no time zone \(quoted(name))"
                    : "the file of the time zone \(quoted(name)) is damaged",
                help: "write a name below /usr/share/zoneinfo, for example `Europe/Berlin`, or "
                    + "`UTC`; a machine without any needs the package tzdata")
        }
    }

    func decodeJitter(_ field: Field) -> Interval? { bag.duration(field, in: .zero ... .days(1)) }

    private func decodeSuspended(_ field: Field) -> [Window] {
        bag.items(of: field, example: "suspend: [{every: day, at: 23:00, for: 7h}]").compactMap {
            item in
            guard let fields = windowFields(item) else { return nil }
            if let word = fields["is"] {
                bag.error(
                    .unknownKey, at: word.span, "a suspend window has no key `is`", help: "drop it")
            }
            return decodeWindow(fields)
        }
    }

    private static func name(ofFile path: String) -> String {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        return file.hasSuffix(".yaml") ? String(file.dropLast(5)) : file
    }
}
