// SPDX-License-Identifier: Apache-2.0

/// A reading that is yes, no or unknown, and the one condition it decides. Manifests, scenarios,
/// `bgrun device`, `explain`, reports and journals have every element of `all`; nothing else lists them.
package struct PlainReading: Sendable {
    /// The key of `requires` and `device`, also in scenarios, and the row of `bgrun device`.
    package let name: String
    package let path: any WritableKeyPath<DeviceState, Reading> & Sendable
    /// Holds while the reading is `good`.
    package let condition: Conditions
    package let good: Reading
    package let words: (yes: String, no: String)
    /// The word in `requires`; nil: manifests and scenarios have a truth value.
    package let required: String?
    /// The condition that `requires` waits for, in Markdown.
    package let meaning: String

    /// In display order.
    package static let all = [storage, gpu, memory]

    private static let storage = PlainReading(
        name: "storage", path: \.storageLow, condition: .storageNotLow, good: .no,
        words: (yes: "low", no: "ok"), required: "not-low",
        meaning: "space on the state directory's file system")
    private static let gpu = PlainReading(
        name: "gpu", path: \.gpu, condition: .gpu, good: .yes, words: (yes: "yes", no: "none"),
        required: nil, meaning: "a graphics processor")

    private static let memory = PlainReading(
        name: "memory", path: \.memoryLow, condition: .memoryNotLow, good: .no,
        words: (yes: "low", no: "ok"), required: "not-low",
        meaning: "memory that programs can still get")

    /// The reading that decides a condition; nil: another rule decides it.
    static func deciding(_ condition: Conditions) -> PlainReading? {
        all.first { $0.condition == condition }
    }

    /// The value as `bgrun device` shows it.
    package func text(_ value: Reading) -> String { value.text(yes: words.yes, no: words.no) }

    /// The value in the words of `requires`.
    package func requirement(_ value: Reading) -> String {
        if value == .unknown { return "unknown" }
        guard let required else { return value == .yes ? "true" : "false" }
        return value == good ? required : text(value)
    }
}
