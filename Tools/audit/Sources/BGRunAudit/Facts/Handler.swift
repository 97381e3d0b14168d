// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// Code that the framework launches with a task.
struct Handler {
    let node: Syntax
    /// The name of the task in it; nil if the framework completes it (a scene's task).
    let task: String?
    let kind: TaskKind?
    let registration: Registration?
    /// The place of a finding about the whole handler.
    let anchor: Syntax

    /// Registered handlers, those of scenes, and functions that take a task without a caller in the
    /// program: they are registered elsewhere.
    static func all(in facts: Facts) -> [Handler] {
        var handlers: [Handler] = []
        var reached: Set<SyntaxIdentifier> = []
        for registration in facts.registrations {
            guard let handler = Handler(registration, in: facts) else { continue }
            handlers.append(handler)
            reached.insert(handler.node.id)
            for function in facts.program.functionsReached(from: handler.node) {
                reached.insert(function.node.id)
            }
        }
        for task in facts.sceneTasks where task.kind != nil {
            handlers.append(
                Handler(
                    node: Syntax(task.closure), task: nil, kind: task.kind, registration: nil,
                    anchor: Syntax(task.closure)))
        }
        for function in facts.program.functions where !reached.contains(function.node.id) {
            guard function.name != "init",
                let parameter = function.parameters.first(where: { TaskKind.isTask($0.type) }),
                !facts.isCalled(function)
            else { continue }
            handlers.append(
                Handler(
                    node: function.node, task: parameter.name,
                    kind: TaskKind(inType: parameter.type), registration: nil,
                    anchor: Syntax(function.nameToken)))
        }
        return handlers
    }

    private init(
        node: Syntax, task: String?, kind: TaskKind?, registration: Registration?, anchor: Syntax
    ) {
        self.node = node
        self.task = task
        self.kind = kind
        self.registration = registration
        self.anchor = anchor
    }

    private init?(_ registration: Registration, in facts: Facts) {
        let program = facts.program
        let known = facts.kind(of: registration.identifier?.text)
        if let closure = registration.closure {
            let task = closure.parameterNames.first ?? "$0"
            self.init(
                node: Syntax(closure), task: registration.completesItself ? nil : task,
                kind: Self.kind(in: closure, of: task, program: program) ?? known,
                registration: registration, anchor: Syntax(closure))
        } else if let reference = registration.call.argument("launchHandler"),
            let function = program.function(referredToBy: reference),
            let parameter = function.parameters.first
        {
            self.init(
                node: function.node, task: parameter.name,
                kind: TaskKind(inType: parameter.type)
                    ?? Self.kind(in: function.body, of: parameter.name, program: program) ?? known,
                registration: registration, anchor: Syntax(function.nameToken))
        } else {
            return nil
        }
    }

    /// The kind that the task is cast to, or that the function with the task takes.
    private static func kind(
        in node: some SyntaxProtocol, of task: String, program: Program
    ) -> TaskKind? {
        for cast in node.all(AsExprSyntax.self) where cast.expression.name == task {
            if let kind = TaskKind(inType: cast.type.trimmedDescription) { return kind }
        }
        for call in node.all(FunctionCallExprSyntax.self) {
            for (position, input) in call.inputs.enumerated() where input.value.name == task {
                let type = program.function(calledBy: call)?
                    .parameter(for: input, at: position)?.type
                if let kind = type.flatMap(TaskKind.init(inType:)) { return kind }
            }
        }
        return nil
    }
}

extension Facts {
    fileprivate func isCalled(_ function: Function) -> Bool {
        program.calls(named: function.name).contains { call in
            function.takes(call) && !function.node.contains(call)
        }
    }
}
