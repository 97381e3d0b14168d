// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum SubmitErrorIgnored: Rule {
    static let id = "submit-error-ignored"
    static let severity = Severity.warning
    static let sentence = "An error of submit is handled or reported."
    static let why = """
        After an unreported error, a task that is never launched seems to wait (Apple: \
        BGTaskScheduler.Error.Code).
        """
    static let remedy = "catch the error and log it"

    static func check(_ audit: inout RuleContext) {
        for call in audit.facts.submissions where call.calleeName == "submit" {
            if let tried = call.parent?.as(TryExprSyntax.self),
                let mark = tried.questionOrExclamationMark, tried.isUnused
            {
                let does = mark.text == "?" ? "drops the error" : "ends the app at an error"
                audit.report(
                    tried, "`try\(mark.text)` \(does) of submit",
                    fix: audit.catching(call, in: tried))
                continue
            }
            guard let block = call.enclosing(DoStmtSyntax.self), block.body.contains(call),
                !block.catchClauses.isEmpty
            else { continue }
            for clause in block.catchClauses where clause.body.statements.isEmpty {
                audit.report(
                    clause.catchKeyword, "this `catch` says nothing of the error of submit",
                    fix: audit.saying(call, in: clause))
            }
        }
    }
}

extension TryExprSyntax {
    /// Whether its value is unused.
    fileprivate var isUnused: Bool {
        guard let parent else { return true }
        if parent.is(CodeBlockItemSyntax.self) { return true }
        return parent.as(InfixOperatorExprSyntax.self)?.leftOperand.trimmedDescription == "_"
    }
}

extension RuleContext {
    private func complaint(about call: FunctionCallExprSyntax) -> String {
        let request = call.arguments.first?.expression.name
        let subject = request.map { "\\(\($0).identifier)" } ?? "the task"
        return "print(\"Could not schedule \(subject): \\(error)\")"
    }

    private func indentation(of node: some SyntaxProtocol) -> String {
        guard let file = program.file(of: node) else { return "" }
        let place = file.place(of: node.positionAfterSkippingLeadingTrivia)
        return String(file.line(place.line).prefix { $0.isWhitespace })
    }

    fileprivate func catching(_ call: FunctionCallExprSyntax, in tried: TryExprSyntax) -> Fix? {
        let statement =
            tried.parent?.is(CodeBlockItemSyntax.self) ?? false
            ? Syntax(tried) : tried.parent ?? Syntax(tried)
        let margin = indentation(of: statement)
        let lines = [
            "do {", "    try \(call.trimmedDescription)", "} catch {",
            "    \(complaint(about: call))", "}",
        ]
        return Fix.replacing(
            statement, with: lines.joined(separator: "\n" + margin), "catch the error and say it")
    }

    fileprivate func saying(_ call: FunctionCallExprSyntax, in clause: CatchClauseSyntax) -> Fix? {
        // Another pattern has no `error` to report.
        guard clause.catchItems.isEmpty else { return nil }
        let margin = indentation(of: clause)
        let start = clause.body.leftBrace.endPositionBeforeTrailingTrivia.utf8Offset
        let end = clause.body.rightBrace.positionAfterSkippingLeadingTrivia.utf8Offset
        return Fix(
            message: "say the error",
            edits: [
                Fix.Edit(
                    range: start..<end, text: "\n\(margin)    \(complaint(about: call))\n\(margin)")
            ])
    }
}
