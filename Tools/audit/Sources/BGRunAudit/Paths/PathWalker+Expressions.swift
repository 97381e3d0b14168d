// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension PathWalker {
    func evaluate(_ expression: ExprSyntax, _ states: [PathState]) -> Flow {
        if let call = expression.as(FunctionCallExprSyntax.self) { return evaluate(call, states) }
        if let tried = expression.as(TryExprSyntax.self) { return evaluate(tried, states) }
        if let choice = expression.as(IfExprSyntax.self) { return walk(choice, states) }
        if let choice = expression.as(SwitchExprSyntax.self) { return walk(choice, states) }
        if let choice = expression.as(TernaryExprSyntax.self) { return evaluate(choice, states) }
        if let pair = expression.as(InfixOperatorExprSyntax.self),
            pair.operator.is(AssignmentExprSyntax.self)
        {
            return assign(pair, states)
        }
        // Stored somewhere, as in an array of closures.
        if let closure = expression.as(ClosureExprSyntax.self) {
            return hand(closure, to: Syntax(closure), states)
        }
        return evaluateChildren(of: Syntax(expression), states)
    }

    /// The expressions in a node, in the order of the source.
    func evaluateChildren(of node: Syntax, _ states: [PathState]) -> Flow {
        var flow = Flow(next: states)
        for child in node.children(viewMode: .sourceAccurate) {
            if let expression = child.as(ExprSyntax.self) {
                flow.then { evaluate(expression, $0) }
            } else if !child.is(TokenSyntax.self) {
                flow.then { evaluateChildren(of: child, $0) }
            }
        }
        return flow
    }

    func evaluate(_ conditions: ConditionElementListSyntax, _ states: [PathState]) -> Flow {
        var flow = Flow(next: states)
        for element in conditions {
            if case .optionalBinding(let binding) = element.condition {
                // `if let task = task as? T`: the task gets another name.
                guard let value = binding.initializer?.value else { continue }
                flow.then { bind(binding.pattern, to: value, $0) }
            } else {
                flow.then { evaluateChildren(of: Syntax(element), $0) }
            }
        }
        return flow
    }

    private func evaluate(_ tried: TryExprSyntax, _ states: [PathState]) -> Flow {
        throwsDone = false
        var flow = evaluate(tried.expression, states)
        guard tried.questionOrExclamationMark == nil else { return flow }
        // The closure contains the throwing code, which was already handled.
        if tried.expression.bare.as(FunctionCallExprSyntax.self)?.runsClosureOnce ?? false,
            flow.exits.contains(where: { $0.kind == .threw })
        {
            return flow
        }
        let thrown = throwsDone ? flow.next : states
        flow.exits += thrown.map { Flow.Exit(kind: .threw, node: Syntax(tried), state: $0) }
        throwsDone = false
        return flow
    }

    private func evaluate(_ choice: TernaryExprSyntax, _ states: [PathState]) -> Flow {
        var flow = evaluate(choice.condition, states)
        let yes = evaluate(choice.thenExpression, flow.next)
        let no = evaluate(choice.elseExpression, flow.next)
        flow.next = (yes.next + no.next).merged
        flow.exits += yes.exits + no.exits
        return flow
    }

    /// The assignment of a task, or of a closure that completes it.
    private func assign(_ pair: InfixOperatorExprSyntax, _ states: [PathState]) -> Flow {
        let value = pair.rightOperand
        // It interrupts the work, whose own paths must still complete the task.
        if pair.setsExpirationHandler { return Flow(next: states) }
        if let closure = value.bare.as(ClosureExprSyntax.self) {
            let name = pair.leftOperand.lastName ?? ""
            if name.isAboutInterruption { return Flow(next: states) }
            return hand(closure, to: Syntax(pair), states)
        }
        guard duty.isMeant(by: value) || value.name.map({ duty.completers[$0] != nil }) ?? false
        else { return evaluate(value, states) }
        guard let name = pair.leftOperand.lastName else {
            return Flow(next: handed(states, at: Syntax(pair), surely: false))
        }
        if name == "_" { return Flow(next: states) }
        if duty.completers[value.name ?? ""] == nil, !paths.isUsed(kept: name, duty: duty) {
            return Flow(next: states)
        }
        return Flow(next: handed(states, at: Syntax(pair), surely: false))
    }

    /// Passes on a closure that may fulfil the duty.
    func hand(_ closure: ClosureExprSyntax, to place: Syntax, _ states: [PathState]) -> Flow {
        let found = paths.summary(of: Body(closure), duty: duty.inside(closure))
        summary.idle += found.idle
        guard found.discharges else { return Flow(next: states) }
        summary.problems += found.problems
        return Flow(next: handed(states, at: place, surely: found.isSure))
    }

    // MARK: progress

    func done(_ states: [PathState], at place: Syntax) -> [PathState] {
        summary.discharges = true
        var complained = false
        return states.map { state in
            let first: Syntax? =
                switch state.progress {
                case .open: nil
                case .done(let place): place
                case .handed(let place, let surely): surely ? place : nil
                }
            if let first, !complained {
                complained = true
                report(.twice(first: first), place)
            }
            return PathState(progress: .done(place), branch: state.branch)
        }
    }

    func handed(_ states: [PathState], at place: Syntax, surely: Bool) -> [PathState] {
        summary.discharges = true
        return states.map { state in
            switch state.progress {
            case .open:
                return PathState(
                    progress: .handed(place, surely: surely), branch: state.branch)
            case .done(let first):
                if surely { report(.twice(first: first), place) }
                return state
            case .handed: return state
            }
        }
    }
}

extension InfixOperatorExprSyntax {
    /// `task.expirationHandler = { }`
    var setsExpirationHandler: Bool {
        self.operator.is(AssignmentExprSyntax.self)
            && leftOperand.bare.as(MemberAccessExprSyntax.self)?.declName.baseName.text
                == "expirationHandler"
    }
}

extension String {
    /// Whether it names a callback for the interruption of work.
    var isAboutInterruption: Bool {
        let name = lowercased()
        return name.contains("expir") || name.contains("cancel")
    }
}
