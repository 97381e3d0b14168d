// SPDX-License-Identifier: Apache-2.0

/// Text of a manifest for a message: in backquotes, and safe to show.
package func quoted(_ text: String, limit: Int = 60) -> String {
    "`\(safe(text, limit: limit))`"
}

/// `text` shortened, without characters that could steer a terminal.
func safe(_ text: String, limit: Int) -> String {
    var shown = ""
    for scalar in text.unicodeScalars.prefix(limit) {
        shown += scalar.isSafeToShow ? String(scalar) : scalar.escaped(asASCII: true)
    }
    return text.unicodeScalars.count > limit ? shown + "…" : shown
}

/// `a`, `b` and `c`
package func listed(_ words: [String], joinedBy conjunction: String = "and") -> String {
    let quotedWords = words.map { quoted($0) }
    guard let last = quotedWords.last, quotedWords.count > 1 else { return quotedWords.first ?? "" }
    return "\(quotedWords.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
}

extension Unicode.Scalar {
    /// Neither a control character nor one that changes the direction or shape of its neighbours.
    var isSafeToShow: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned,
            .privateUse:
            false
        default: true
        }
    }
}
