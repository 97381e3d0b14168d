// SPDX-License-Identifier: Apache-2.0

/// A line of a source file; lines count from 1.
package struct SourcePlace: Hashable, Sendable {
    var file: String
    /// Nil: the whole file.
    package var line: Int?

    /// `file:line`
    var text: String { line.map { "\(file):\($0)" } ?? file }
}

/// A feature that was not converted unchanged, its replacement, and the remedy.
package struct ConversionNote: Equatable, Sendable {
    enum Weight: String, Sendable, CaseIterable {
        /// The target does not have this feature. `--strict` refuses to continue.
        case lost
        /// The target has something similar.
        case changed
    }

    var weight: Weight
    package var place: SourcePlace
    /// The word in the source.
    package var word: String
    /// The behaviour instead.
    var instead: String
    /// The remedy for a person; empty if none is needed.
    var remedy: String

    /// One line: `crontab:3: lost: MAILTO: no mail is sent; use ...`.
    package var text: String {
        "\(place.text): \(weight.rawValue): \(word): \(instead)"
            + (remedy.isEmpty ? "" : "; \(remedy)")
    }
}

extension [ConversionNote] {
    mutating func add(
        _ weight: ConversionNote.Weight, _ place: SourcePlace, _ word: String, _ instead: String,
        _ remedy: String = ""
    ) {
        append(
            ConversionNote(
                weight: weight, place: place, word: word, instead: instead, remedy: remedy))
    }
}
