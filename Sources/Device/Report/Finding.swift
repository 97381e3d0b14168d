// SPDX-License-Identifier: Apache-2.0

/// How well a reading is founded.
package enum Confidence: String, Encodable, Sendable, CaseIterable {
    /// A driver or a daemon says exactly this.
    case measured
    /// It follows from what they say.
    case derived
    /// It is what is usual on such a machine; nothing says it.
    case assumed
    /// Nothing is known; the value says so, too.
    case unknown
}

/// What was found out about one thing, and why it is believed.
package struct Finding<Value: Hashable & Sendable>: Hashable, Sendable {
    package var value: Value
    /// The file or the bus name it comes from; "none" when nothing could tell.
    var source: String
    var confidence: Confidence
    /// One sentence.
    package var because: String

    init(_ value: Value, from source: String, _ confidence: Confidence, because: String) {
        self.value = value
        self.source = source
        self.confidence = confidence
        self.because = because
    }
}
