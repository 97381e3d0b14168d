// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension Handler {
    /// The function that finally gets the task, as when a closure passes it on by
    /// `self.handle(task)`.
    func worker(in program: Program) -> (anchor: Syntax, node: Syntax) {
        var (anchor, node, name) = (self.anchor, self.node, task)
        var seen: Set<SyntaxIdentifier> = [node.id]
        while let current = name, let (function, parameter) = program.next(of: current, in: node),
            seen.insert(function.node.id).inserted
        {
            (anchor, node, name) = (Syntax(function.nameToken), function.node, parameter)
        }
        return (anchor, node)
    }

    /// Whether the task is passed to code outside of these files, which may do anything.
    func leavesProgram(_ program: Program) -> Bool {
        guard let task else { return false }
        return program.code(reachedFrom: node).contains { code in
            let names = Set([task] + code.taskParameters)
            return code.all(FunctionCallExprSyntax.self).contains { call in
                guard
                    !["setTaskCompleted", "type", "withBackgroundTask"].contains(call.calleeName),
                    !(call.calleeName?.isSaying ?? false)
                else { return false }
                return call.arguments.contains { $0.expression.name.map(names.contains) ?? false }
                    && program.function(calledBy: call) == nil
            }
        }
    }

    /// The properties that hold the task.
    func keptNames(_ program: Program) -> Set<String> {
        var kept: Set<String> = []
        for code in program.code(reachedFrom: node) {
            let names = Set([task].compactMap(\.self) + code.taskParameters)
            for pair in code.all(InfixOperatorExprSyntax.self)
            where pair.operator.is(AssignmentExprSyntax.self) {
                if let value = pair.rightOperand.name, names.contains(value),
                    let name = pair.leftOperand.lastName
                {
                    kept.insert(name)
                }
            }
        }
        return kept
    }
}

extension Program {
    /// The function of this program that a body passes a task to, and the task's name there.
    fileprivate func next(of task: String, in node: Syntax) -> (Function, String)? {
        for call in node.all(FunctionCallExprSyntax.self) {
            for (position, input) in call.inputs.enumerated() where input.value.name == task {
                if let function = function(calledBy: call),
                    let parameter = function.parameter(for: input, at: position)
                {
                    return (function, parameter.name)
                }
            }
        }
        return nil
    }
}

extension Syntax {
    /// The task parameters of the function around this node.
    fileprivate var taskParameters: [String] {
        let function = Function(self) ?? parent.flatMap { Function($0) }
        return function?.parameters.filter { TaskKind.isTask($0.type) }.map(\.name) ?? []
    }
}

extension String {
    /// Whether a function of this name only logs.
    var isSaying: Bool {
        [
            "print", "debugPrint", "dump", "NSLog", "os_log", "log", "info", "debug", "notice",
            "warning", "error", "fault", "trace", "critical",
        ].contains(self)
    }
}
