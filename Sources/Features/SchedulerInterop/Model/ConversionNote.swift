// SPDX-License-Identifier: Apache-2.0

/// A line of a file something was read from; lines count from 1.
package struct SourcePlace: Hashable, Sendable {
    var file: String
    /// nil: the file as a whole.
    package var line: Int?

    /// `file:line`
    var text: String { line.map { "\(file):\($0)" } ?? file }
}

/// A meaning that did not come through unchanged, what happens instead, and what to do about it.
package struct ConversionNote: Hashable, Sendable {
    enum Weight: String, Sendable, CaseIterable {
        /// Nothing in the target has this meaning. `--strict` refuses to continue.
        case lost
        /// The target does something near to it.
        case changed
    }

    var weight: Weight
    package var place: SourcePlace
    /// The word of the source that means it.
    package var word: String
    /// What happens instead.
    var instead: String
    /// What a person can do; empty when nothing needs to be done.
    var remedy: String

    /// One line: `crontab:3: lost: MAILTO: nobody is mailed; use ...`.
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
