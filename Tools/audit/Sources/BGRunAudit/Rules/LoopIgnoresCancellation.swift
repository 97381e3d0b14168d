// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// Checks loops in functions and closures with access to the task, and loops that await.
enum LoopIgnoresCancellation: Rule {
    static let id = "loop-ignores-cancellation"
    static let severity = Severity.warning
    static let sentence = "A handler's loop checks for cancellation."
    static let why = """
        Cancellation only sets a flag. A loop that ignores it continues until the app is killed, \
        and its work is lost (Apple: Task; WWDC22-10142).
        """
    static let remedy = """
        call try Task.checkCancellation() in each turn, or look at Task.isCancelled or at the \
        operation's isCancelled, and save what was done
        """

    static func check(_ audit: inout RuleContext) {
        var seen: Set<SyntaxIdentifier> = []
        for handler in audit.facts.handlers {
            let own = handler.worker(in: audit.program).node
            for code in audit.program.code(reachedFrom: handler.node) {
                let hasTask = code.id == handler.node.id || own.contains(code)
                for loop in code.loops where seen.insert(loop.node.id).inserted {
                    guard loop.isDeaf(hasTask: hasTask),
                        !audit.facts.expiry.areLookedAt(in: loop.node)
                    else { continue }
                    audit.report(
                        loop.node, "this loop continues after the task has expired",
                        fix: audit.checkingCancellation(in: loop))
                }
            }
        }
    }
}

private struct Loop {
    var node: Syntax
    var body: CodeBlockSyntax

    func isDeaf(hasTask: Bool) -> Bool {
        let awaits = !body.all(AwaitExprSyntax.self).isEmpty
        guard hasTask || awaits, !body.workingCalls.isEmpty else { return false }
        // `try await` may throw CancellationError, and an awaited sequence ends.
        if body.all(AwaitExprSyntax.self).contains(where: {
            $0.parent?.is(TryExprSyntax.self) ?? false
        }) {
            return false
        }
        if node.as(ForStmtSyntax.self)?.awaitKeyword != nil { return false }
        if node.as(ForStmtSyntax.self)?.sequence.is(ArrayExprSyntax.self) ?? false { return false }
        return !node.all(TokenSyntax.self).contains { token in
            guard case .identifier(let name) = token.tokenKind else { return false }
            let lowered = name.lowercased()
            return [
                "cancel", "expire", "expir", "stop", "abort", "shoulddefer", "shouldcontinue",
                "shouldrun", "deadline",
            ].contains { lowered.contains($0) }
        }
    }
}

extension Syntax {
    fileprivate var loops: [Loop] {
        all(ForStmtSyntax.self).map { Loop(node: Syntax($0), body: $0.body) }
            + all(WhileStmtSyntax.self).map { Loop(node: Syntax($0), body: $0.body) }
            + all(RepeatStmtSyntax.self).map { Loop(node: Syntax($0), body: $0.body) }
    }
}

extension RuleContext {
    /// A check of Task.isCancelled, if there is a Task.
    fileprivate func checkingCancellation(in loop: Loop) -> Fix? {
        guard !loop.body.all(AwaitExprSyntax.self).isEmpty, let first = loop.body.statements.first
        else { return nil }
        let start = first.positionAfterSkippingLeadingTrivia.utf8Offset
        return Fix(
            message: "leave the loop when the task was cancelled",
            edits: [
                Fix.Edit(
                    range: start..<start,
                    text: "if Task.isCancelled { break }" + separator(before: first))
            ] + successesAfter(loop))
    }

    /// Makes the success after the loop depend on whether the loop was left early.
    private func successesAfter(_ loop: Loop) -> [Fix.Edit] {
        guard let item = loop.node.enclosing(CodeBlockItemSyntax.self),
            let list = item.parent?.as(CodeBlockItemListSyntax.self)
        else { return [] }
        return list.drop { $0.id != item.id }.compactMap { item in
            guard case .expr(let expression) = item.item,
                let call = expression.bare.as(FunctionCallExprSyntax.self),
                call.calleeName == "setTaskCompleted", let value = call.argument("success"),
                value.trimmedDescription == "true"
            else { return nil }
            return Fix.Edit(range: value.utf8Range, text: "!Task.isCancelled")
        }
    }
}
