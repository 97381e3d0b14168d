// SPDX-License-Identifier: Apache-2.0

import SwiftOperators
import SwiftParser
public import SwiftSyntax

/// A Swift source that has been parsed.
public struct SourceFile {
    /// As it was named, and as it is shown.
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
        // An operator that is not Swift's own leaves its expression flat, which rules pass over.
        let folded = OperatorTable.standardOperators.foldAll(parsed) { _ in }
        tree = folded.as(SourceFileSyntax.self) ?? parsed
        converter = SourceLocationConverter(fileName: path, tree: tree)
        lines = text.split(omittingEmptySubsequences: false) {
            $0 == "\n" || $0 == "\r\n" || $0 == "\r"
        }
    }

    /// Where the parser lost its way; nil when the file is Swift.
    public var syntaxError: Place? {
        guard tree.hasError else { return nil }
        let finder = SyntaxErrorFinder(viewMode: .all)
        finder.walk(tree)
        return place(of: finder.position ?? tree.position)
    }

    /// Whether it holds tests, which make mistakes on purpose.
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
