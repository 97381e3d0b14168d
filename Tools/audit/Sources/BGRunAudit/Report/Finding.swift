// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// A problem that a rule has found.
public struct Finding {
    public var rule: any Rule.Type
    public var file: String
    public var place: Place
    /// The problem, without a full stop.
    public var message: String
    /// Related places.
    public var notes: [Note]
    public var fix: Fix?

    public struct Note {
        public var file: String
        public var place: Place
        public var message: String
    }
}

/// Edits of one file that remove a finding.
public struct Fix: Sendable {
    /// The effect, for example "complete the task before returning".
    public var message: String
    public var edits: [Edit]

    /// Replaces bytes of the file.
    public struct Edit: Hashable, Sendable {
        public var range: Range<Int>
        public var text: String

        public init(range: Range<Int>, text: String) {
            self.range = range
            self.text = text
        }
    }

    public init(message: String, edits: [Edit]) {
        self.message = message
        self.edits = edits
    }

    static func replacing(
        _ node: some SyntaxProtocol, with text: String, _ message: String
    ) -> Fix {
        Fix(message: message, edits: [Edit(range: node.utf8Range, text: text)])
    }
}

extension SyntaxProtocol {
    /// The bytes of the node, without the trivia around it.
    var utf8Range: Range<Int> {
        positionAfterSkippingLeadingTrivia.utf8Offset..<endPositionBeforeTrailingTrivia.utf8Offset
    }
}
