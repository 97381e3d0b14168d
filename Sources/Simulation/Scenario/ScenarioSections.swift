// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

/// The keys of scenarios of version 1, which a test compares with Docs/simulation.md.
enum ScenarioSections {
    static let root = section(
        "the scenario",
        [
            "scenario", "name", "start", "zone", "duration", "seed", "jitter", "device",
            "suspend", "events", "handlers", "transfers",
        ], required: ["scenario", "start", "duration"])
    /// A scenario of which only the device counts.
    static let trace = section("the device trace", root.names, required: ["scenario", "device"])
    static let device = section(
        "`device`",
        [
            "power", "battery", "network", "bandwidth", "idle", "low_power_mode", "thermal",
            "pressure",
        ] + PlainReading.all.map(\.name))
    static let rates = section(
        "`battery`", ["start", "lasts", "lasts_suspended", "charges_in"], required: ["start"])
    static let point = section("a point", ["at", "is"], required: ["at", "is"])
    static let window = section("a window", ["every", "at", "for", "until", "is", "jitter"])
    static let event = section(
        "an event",
        [
            "every", "at", "jitter", "submit", "push", "cancel", "trigger", "expire", "app",
            "transfer", "clock", "delay", "payload", "collapse_id",
        ])
    static let clock = section("`clock`", ["forward", "back"])
    static let handler = section(
        "a handler", ["takes", "fails", "stops_in", "checkpoint", "progress"])
    static let transfer = section("a transfer", ["size", "cut", "resumes"])
    static let takes = section("`takes`", ["uniform", "normal", "exponential"])
    static let normal = section(
        "`normal`", ["mean", "deviation"], required: ["mean", "deviation"])
    static let checkpoint = section("`checkpoint`", ["every"], required: ["every"])

    static let all = [
        root, device, rates, point, window, event, clock, handler, transfer, takes, normal,
        checkpoint,
    ]

    private static func section(
        _ name: String, _ keys: [String], required: [String] = []
    ) -> Section {
        Section(name, document: "Docs/simulation.md") {
            keys.map { Key($0, .any, isRequired: required.contains($0)) }
        }
    }
}
