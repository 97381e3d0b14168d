// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum ExpirationHandlerMissing: Rule {
    static let id = "expiration-handler-missing"
    static let severity = Severity.error
    static let sentence = "A launch handler sets an expiration handler."
    static let why = """
        Without it, a task whose time is revoked ends unsuccessfully (Apple: \
        BGTask.expirationHandler).
        """
    static let remedy = """
        set task.expirationHandler first thing, and cancel the work in it
        """

    static func check(_ audit: inout RuleContext) {
        let program = audit.program
        for handler in audit.facts.handlers where handler.task != nil {
            let code = program.code(reachedFrom: handler.node)
            let kept = handler.keptNames(program)
            let isSet =
                code.contains { code in
                    code.all(InfixOperatorExprSyntax.self).contains(where: \.setsExpirationHandler)
                        || code.all(FunctionCallExprSyntax.self).contains {
                            $0.calleeName == "withBackgroundTask"
                        }
                }
                || program.assignments.contains { pair in
                    pair.setsExpirationHandler && kept.contains(pair.expiringTask ?? "")
                }
            guard !isSet, !handler.leavesProgram(program), handler.doesWork(program)
            else { continue }
            audit.report(
                handler.worker(in: program).anchor, "this handler sets no expirationHandler")
        }
    }
}

extension InfixOperatorExprSyntax {
    /// `task` of `task.expirationHandler = { }`
    fileprivate var expiringTask: String? {
        leftOperand.bare.as(MemberAccessExprSyntax.self)?.base?.lastName
    }
}

extension Handler {
    /// Whether there is work to stop: a handler that only logs, schedules and completes has none.
    fileprivate func doesWork(_ program: Program) -> Bool {
        program.code(reachedFrom: node).contains { code in
            !code.all(AwaitExprSyntax.self).isEmpty || !code.all(ForStmtSyntax.self).isEmpty
                || !code.all(WhileStmtSyntax.self).isEmpty
                || code.all(FunctionCallExprSyntax.self).contains { call in
                    guard let name = call.calleeName, program.function(calledBy: call) == nil
                    else { return false }
                    let isSetUp =
                        name == "setTaskCompleted" || name.isSaying || call.submitsRequest
                        || name.lowercased().contains("schedule")
                        || name.first?.isUppercase ?? false || name == "addingTimeInterval"
                    return !isSetUp || name == "Task"
                }
        }
    }
}
