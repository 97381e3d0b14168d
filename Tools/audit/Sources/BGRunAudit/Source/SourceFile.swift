// SPDX-License-Identifier: Apache-2.0

import SwiftOperators
import SwiftParser
public import SwiftSyntax

/// A parsed Swift source.
public struct SourceFile {
    /// As given, and as displayed.
    public let path: String
    public let text: String
    /// With operators folded: `a = b` is one expression.
    public let tree: SourceFileSyntax
    private let converter: SourceLocationConverter
    private let lines: [Substring]

    public init(path: String, text: String) {
        self.path = path
        self.text = text
        let parsed = Parser.parse(source: text)
        // Unknown operators leave their expressions unfolded, which rules ignore.
        let folded = OperatorTable.standardOperators.foldAll(parsed) { _ in }
        tree = folded.as(SourceFileSyntax.self) ?? parsed
        converter = SourceLocationConverter(fileName: path, tree: tree)
        lines = text.split(omittingEmptySubsequences: false) {
            $0 == "\n" || $0 == "\r\n" || $0 == "\r"
        }
    }

    /// The place of the first syntax error; nil without one.
    public var syntaxError: Place? {
        guard tree.hasError else { return nil }
        let finder = SyntaxErrorFinder(viewMode: .all)
        finder.walk(tree)
        return place(of: finder.position ?? tree.position)
    }

    /// Whether it contains tests, which make mistakes on purpose.
    public var isTest: Bool {
        tree.statements.contains { item in
            let module = item.item.as(ImportDeclSyntax.self)?.path.trimmedDescription
            return module == "Testing" || module == "XCTest"
        }
    }

    public func place(of position: AbsolutePosition) -> Place {
        let location = converter.location(for: position)
        let line = self.line(location.line)
        let before = line.utf8.prefix(location.column - 1)
        return Place(
            offset: position.utf8Offset, line: location.line,
            column: String(Substring(before)).count + 1)
    }

    /// A line of the text, counted from 1, without its end; empty past the last one.
    public func line(_ number: Int) -> Substring {
        lines.indices.contains(number - 1) ? lines[number - 1] : ""
    }

    var lineCount: Int { lines.count }
}

/// A position in a file: bytes from its start; line and column count from 1, columns in characters.
public struct Place: Hashable, Sendable {
    public var offset: Int
    public var line: Int
    public var column: Int
}

private final class SyntaxErrorFinder: SyntaxVisitor {
    var position: AbsolutePosition?

    override func visit(_ node: UnexpectedNodesSyntax) -> SyntaxVisitorContinueKind {
        position = position ?? node.positionAfterSkippingLeadingTrivia
        return .skipChildren
    }

    override func visit(_ token: TokenSyntax) -> SyntaxVisitorContinueKind {
        if token.presence == .missing { position = position ?? token.position }
        return .skipChildren
    }
}
