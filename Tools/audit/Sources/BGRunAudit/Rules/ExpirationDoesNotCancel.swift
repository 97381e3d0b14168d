// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum ExpirationDoesNotCancel: Rule {
    static let id = "expiration-does-not-cancel"
    static let severity = Severity.warning
    static let sentence = "The expiration handler stops the work."
    static let why = """
        Work that continues is suspended in the middle, or the app is killed (Apple: \
        BGTask.expirationHandler; WWDC19-707).
        """
    static let remedy = "cancel the Task, the operations or the request in it"

    static func check(_ audit: inout RuleContext) {
        for assignment in audit.program.assignments
        where assignment.setsExpirationHandler {
            guard let items = audit.statements(of: assignment.rightOperand) else { continue }
            guard items.allSatisfy(\.isOnlySaying) else { continue }
            let completes = items.contains {
                !$0.all(TokenSyntax.self).filter {
                    $0.text == "setTaskCompleted"
                }.isEmpty
            }
            audit.report(
                assignment,
                completes
                    ? "completes the task, and the work continues" : "nothing is stopped here")
        }
    }
}

extension RuleContext {
    fileprivate func statements(of handler: ExprSyntax) -> CodeBlockItemListSyntax? {
        if let closure = handler.bare.as(ClosureExprSyntax.self) { return closure.statements }
        guard handler.name != nil || handler.bare.is(MemberAccessExprSyntax.self) else {
            return nil
        }
        return program.function(referredToBy: handler)?.body.statements
    }
}

extension CodeBlockItemSyntax {
    /// Whether the statement only completes the task, or logs.
    fileprivate var isOnlySaying: Bool {
        guard case .expr(let expression) = item,
            let call = expression.bare.as(FunctionCallExprSyntax.self), let name = call.calleeName
        else { return false }
        return name == "setTaskCompleted" || name.isSaying
    }
}
