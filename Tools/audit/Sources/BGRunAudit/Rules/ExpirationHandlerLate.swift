// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum ExpirationHandlerLate: Rule {
    static let id = "expiration-handler-late"
    static let severity = Severity.warning
    static let sentence = "The expiration handler is set before the work begins."
    static let why = """
        Until it is set, an expiration ends the task unsuccessfully and cuts off the work (Apple: \
        BGTask.expirationHandler).
        """
    static let remedy = "set it before the work, or right after the statement that makes the work"

    static func check(_ audit: inout RuleContext) {
        for assignment in audit.program.assignments
        where assignment.setsExpirationHandler {
            if let closure = assignment.enclosing(ClosureExprSyntax.self),
                let call = closure.enclosing(FunctionCallExprSyntax.self),
                let name = call.calleeName, startsWork.contains(name),
                assignment.isIn(closure)
            {
                audit.report(
                    assignment, "set in the closure of `\(name)`, which runs after the handler")
                continue
            }
            guard let item = assignment.parent?.as(CodeBlockItemSyntax.self),
                let items = item.parent?.as(CodeBlockItemListSyntax.self)
            else { continue }
            let before = items.prefix { $0.position < item.position }
            guard let work = before.first(where: { $0.beginsWork(usedBy: assignment) })
            else { continue }
            audit.report(
                assignment, "set after the work has begun",
                notes: [(Syntax(work), "the work begins here")],
                fix: audit.moving(item, before: work, among: Array(before)))
        }
    }
}

/// Calls that start work that continues after they return.
private let startsWork: Set<String> = [
    "Task", "detached", "async", "asyncAfter", "addOperation", "addOperations", "resume",
    "enqueue", "perform",
]

extension InfixOperatorExprSyntax {
    /// Whether there is no function between the closure and this.
    fileprivate func isIn(_ closure: ClosureExprSyntax) -> Bool {
        enclosing(FunctionDeclSyntax.self).map { !closure.contains($0) } ?? true
    }
}

extension CodeBlockItemSyntax {
    /// Whether this statement starts work; the creation of an object that the expiration handler
    /// cancels must come first.
    fileprivate func beginsWork(usedBy assignment: InfixOperatorExprSyntax) -> Bool {
        if !atOnce(AwaitExprSyntax.self).isEmpty { return true }
        if let loop = item.as(ForStmtSyntax.self) { return !loop.body.workingCalls.isEmpty }
        if let loop = item.as(WhileStmtSyntax.self) { return !loop.body.workingCalls.isEmpty }
        let begins = atOnce(FunctionCallExprSyntax.self).contains { call in
            call.calleeName.map(startsWork.contains) ?? false
        }
        guard begins else { return false }
        let used = Set(
            assignment.rightOperand.all(DeclReferenceExprSyntax.self).map(\.baseName.text))
        return used.isDisjoint(with: madeNames)
    }

    /// The variables that this statement declares or sets.
    var madeNames: [String] {
        if let variable = item.as(VariableDeclSyntax.self) {
            return variable.bindings.map(\.pattern.trimmedDescription)
        }
        let pair = item.as(ExprSyntax.self)?.as(InfixOperatorExprSyntax.self)
        return pair?.leftOperand.lastName.map { [$0] } ?? []
    }
}

extension RuleContext {
    /// Moves a statement up, unless it needs declarations of the statements between.
    fileprivate func moving(
        _ item: CodeBlockItemSyntax, before work: CodeBlockItemSyntax,
        among items: [CodeBlockItemSyntax]
    ) -> Fix? {
        guard let file = program.file(of: item) else { return nil }
        let used = Set(item.all(DeclReferenceExprSyntax.self).map(\.baseName.text))
        let made = items.filter { $0.position >= work.position }.flatMap(\.madeNames)
        guard used.isDisjoint(with: made) else { return nil }
        let start = work.positionAfterSkippingLeadingTrivia.utf8Offset
        let range = item.utf8Range
        let from = file.place(of: item.positionAfterSkippingLeadingTrivia)
        let margin = file.line(from.line).prefix(from.column - 1)
        guard margin.allSatisfy(\.isWhitespace) else { return nil }
        // Removes its whole line, with the preceding line break.
        let removed = (range.lowerBound - margin.utf8.count - 1)..<range.upperBound
        return Fix(
            message: "set it before the work",
            edits: [
                Fix.Edit(range: start..<start, text: item.trimmedDescription + "\n" + margin),
                Fix.Edit(range: removed, text: ""),
            ])
    }
}
