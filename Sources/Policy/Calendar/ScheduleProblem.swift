// SPDX-License-Identifier: Apache-2.0

/// Why an expression is not a valid schedule.
package struct ScheduleProblem: Error, Equatable, Sendable {
    /// The range of characters in the expression, from 0.
    package var place: Range<Int>
    /// One sentence without a full stop.
    package var message: String
    /// How to fix it.
    package var help: String

    package init(_ place: Range<Int>, _ message: String, help: String) {
        self.place = place
        self.message = message
        self.help = help
    }
}

/// A part of an expression and its position.
struct ExpressionPart {
    var characters: ArraySlice<Character>

    var text: String { String(characters) }
    var place: Range<Int> { characters.startIndex..<characters.endIndex }
    var first: Character? { characters.first }

    func split(at separator: Character) -> [ExpressionPart] {
        characters.split(separator: separator, omittingEmptySubsequences: false)
            .map { ExpressionPart(characters: $0) }
    }

    /// The parts between blanks.
    var words: [ExpressionPart] {
        characters.split { $0 == " " || $0 == "\t" }.map { ExpressionPart(characters: $0) }
    }

    /// A number of at most nine ASCII digits.
    var number: Int64? {
        guard characters.count <= 9, !characters.isEmpty,
            characters.allSatisfy({ $0.isASCII && $0.isNumber })
        else { return nil }
        return Int64(text)
    }

    func problem(_ message: String, help: String) -> ScheduleProblem {
        ScheduleProblem(place, message, help: help)
    }
}
