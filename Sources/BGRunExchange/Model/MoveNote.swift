// SPDX-License-Identifier: Apache-2.0

/// A line of a file something was read from; lines count from 1.
public struct SourcePlace: Hashable, Sendable {
    public var file: String
    /// nil: the file as a whole.
    public var line: Int?

    public init(file: String, line: Int? = nil) {
        self.file = file
        self.line = line
    }

    /// `file:line`
    public var text: String { line.map { "\(file):\($0)" } ?? file }
}

/// A meaning that did not come through unchanged, what happens instead, and what to do about it.
public struct MoveNote: Hashable, Sendable {
    public enum Weight: String, Sendable, CaseIterable {
        /// Nothing in the target has this meaning. `--strict` refuses to go on.
        case lost
        /// The target does something near to it.
        case changed
    }

    public var weight: Weight
    public var place: SourcePlace
    /// The word of the source that means it.
    public var word: String
    /// What happens instead.
    public var instead: String
    /// What a person can do; empty when nothing needs to be done.
    public var remedy: String

    public init(
        _ weight: Weight, _ place: SourcePlace, _ word: String, _ instead: String,
        remedy: String = ""
    ) {
        self.weight = weight
        self.place = place
        self.word = word
        self.instead = instead
        self.remedy = remedy
    }

    /// One line: `crontab:3: lost: MAILTO: nobody is mailed; use ...`.
    public var text: String {
        "\(place.text): \(weight.rawValue): \(word): \(instead)"
            + (remedy.isEmpty ? "" : "; \(remedy)")
    }
}
