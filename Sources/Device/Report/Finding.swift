// SPDX-License-Identifier: Apache-2.0

/// The basis of a reading.
package enum Confidence: String, Encodable, Sendable, CaseIterable {
    /// A driver or a daemon reports exactly this.
    case measured
    /// Derived from reports.
    case derived
    /// The usual value on such a machine, without a report.
    case assumed
    /// Nothing is known; the value is unknown, too.
    case unknown
}

/// A finding about one reading, with its reason.
package struct Finding<Value: Equatable & Sendable>: Equatable, Sendable {
    package var value: Value
    /// The file or the bus name it comes from; "none" without a source.
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
