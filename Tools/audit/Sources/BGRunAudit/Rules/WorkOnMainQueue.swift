// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum WorkOnMainQueue: Rule {
    static let id = "work-on-main-queue"
    static let severity = Severity.warning
    static let sentence = "Long work does not run on the main queue."
    static let why = """
        The expiration handler waits behind the work; a blocked main thread ends the app (Apple: \
        BGTaskScheduler.register).
        """
    static let remedy = "register with using: nil, or hand the work to a Task or a queue"

    static func check(_ audit: inout RuleContext) {
        for handler in audit.facts.handlers {
            guard let registration = handler.registration, registration.runsOnMain,
                let queue = registration.queue
            else { continue }
            let code = [handler.node] + audit.functionsCalledAtOnce(by: handler.node)
            guard let loop = code.lazy.compactMap({ $0.workingLoop }).first else { continue }
            audit.report(
                queue, "the loop at line \(audit.line(of: loop)) runs on the main queue",
                notes: [(loop, "this loop")])
        }
    }
}

extension RuleContext {
    /// The bodies of functions that a body calls directly, not in a closure that runs later.
    fileprivate func functionsCalledAtOnce(by node: Syntax) -> [Syntax] {
        var found: [Syntax] = []
        var seen: Set<SyntaxIdentifier> = []
        var waiting = [node]
        while let next = waiting.popLast() {
            for call in next.atOnce(FunctionCallExprSyntax.self) {
                guard let function = program.function(calledBy: call),
                    seen.insert(function.node.id).inserted
                else { continue }
                found.append(Syntax(function.node))
                waiting.append(Syntax(function.node))
            }
        }
        return found
    }
}

extension Syntax {
    fileprivate var workingLoop: Syntax? {
        let loops =
            atOnce(ForStmtSyntax.self).map { Syntax($0) }
            + atOnce(WhileStmtSyntax.self).map { Syntax($0) }
        return loops.first { !$0.workingCalls.isEmpty }
    }
}

extension SyntaxProtocol {
    /// Calls that may take long: neither those that only store a value, nor those that continue later
    /// in a closure.
    var workingCalls: [FunctionCallExprSyntax] {
        all(FunctionCallExprSyntax.self).filter { call in
            guard let name = call.calleeName else { return true }
            return !quickCalls.contains(name) && !name.isSaying
                && !(name.first?.isUppercase ?? false) && !call.hasClosure
                && !call.isInLaterClosure(of: Syntax(self))
        }
    }
}

private let quickCalls: Set<String> = [
    "addOperation", "addOperations", "addDependency", "addTask", "append", "insert", "remove",
    "removeAll", "cancel", "resume", "setTaskCompleted", "updateTitle", "stride", "enter", "leave",
    "signal", "checkCancellation", "enumerated", "zip", "contains", "reversed", "register",
]

extension FunctionCallExprSyntax {
    fileprivate var hasClosure: Bool { inputs.contains { $0.value.is(ClosureExprSyntax.self) } }

    fileprivate func isInLaterClosure(of outer: Syntax) -> Bool {
        var node = parent
        while let current = node, current.id != outer.id {
            if let closure = current.as(ClosureExprSyntax.self),
                let call = closure.enclosing(FunctionCallExprSyntax.self), !call.runsClosureOnce
            {
                return true
            }
            node = current.parent
        }
        return false
    }
}
