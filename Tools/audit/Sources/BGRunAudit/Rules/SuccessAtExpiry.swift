// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// Checks expiration handlers, code that runs only after the task has expired, and the code after a
/// loop that the expiration ends.
enum SuccessAtExpiry: Rule {
    static let id = "success-at-expiry"
    static let severity = Severity.warning
    static let sentence = "An expired task is not reported as a success."
    static let why = """
        The system may repeat an unsuccessful task, not a successful one (Apple: \
        BGTask.setTaskCompleted(success:)).
        """
    static let remedy = "pass false, or whether all of the work was done"

    static func check(_ audit: inout RuleContext) {
        var seen: Set<SyntaxIdentifier> = []
        for assignment in audit.program.assignments
        where assignment.setsExpirationHandler {
            for call in assignment.rightOperand.all(FunctionCallExprSyntax.self)
            where call.calleeName == "setTaskCompleted" {
                guard let value = call.argument("success"), value.trimmedDescription == "true",
                    seen.insert(call.id).inserted
                else { continue }
                audit.report(
                    call, "reports success when the time is over",
                    fix: Fix.replacing(value, with: "false", "report a failure"))
            }
        }
        for (call, value) in audit.successes where seen.insert(call.id).inserted {
            switch audit.expiryBefore(call) {
            case .branch(let condition)?:
                audit.report(
                    call, "reports success when the task has expired",
                    notes: [(condition, "holds when the task has expired")],
                    fix: Fix.replacing(value, with: "false", "report a failure"))
            case .loop(let exit)?:
                audit.report(
                    call,
                    "reports success after the loop that the expiration ends at line \(audit.line(of: exit.node))",
                    notes: [(exit.node, "the loop ends here when the task has expired")],
                    fix: exit.isKnown(at: call)
                        ? exit.unexpired.map {
                            Fix.replacing(value, with: $0, "report a success unless it expired")
                        } : nil)
            case nil: break
            }
        }
    }
}

/// The way that code is reached after the task has expired.
private enum Expiry {
    /// Through this branch, which is then taken.
    case branch(Syntax)
    case loop(LoopExit)
}

/// A place at which an expiration ends a loop.
private struct LoopExit {
    var node: Syntax
    /// The expression that is true while the task has not expired.
    var unexpired: String?

    /// Whether `unexpired` has the same meaning at the call: in the same function or closure, and
    /// where its flag is declared.
    func isKnown(at call: FunctionCallExprSyntax) -> Bool {
        guard let code = node.code, code.id == call.code?.id, let unexpired else { return false }
        let name = unexpired.drop { $0 == "!" }.prefix { $0 != "." && $0 != "?" }
        return code.all(IdentifierPatternSyntax.self).allSatisfy { pattern in
            guard pattern.identifier.text == name else { return true }
            return pattern.enclosing(CodeBlockItemListSyntax.self)?.contains(call) ?? true
                && pattern.enclosing(ForStmtSyntax.self)?.contains(call) ?? true
        }
    }
}

extension RuleContext {
    /// The calls that complete a task with the literal `true`: setTaskCompleted itself, and
    /// functions that pass a parameter on to it.
    fileprivate var successes: [(FunctionCallExprSyntax, ExprSyntax)] {
        var found: [(FunctionCallExprSyntax, ExprSyntax)] = []
        for call in program.calls {
            if call.calleeName == "setTaskCompleted" {
                guard let value = call.argument("success"), value.trimmedDescription == "true"
                else { continue }
                found.append((call, value))
            } else if let value = call.arguments.first(where: {
                $0.expression.trimmedDescription == "true"
            })?.expression, handsOn(call, value), !expirationHandlerCompletes(around: call) {
                found.append((call, value))
            }
        }
        return found
    }

    /// Whether the callee passes the argument to setTaskCompleted.
    private func handsOn(_ call: FunctionCallExprSyntax, _ value: ExprSyntax) -> Bool {
        if let function = program.function(calledBy: call) {
            for (position, input) in call.inputs.enumerated() where input.value.id == value.id {
                guard let parameter = function.parameter(for: input, at: position) else { continue }
                return function.body.completesTask(with: [parameter.name])
            }
            return false
        }
        guard let name = call.calledExpression.name, let function = call.outermostCode else {
            return false
        }
        return function.all(PatternBindingSyntax.self).contains { binding in
            guard binding.pattern.trimmedDescription == name,
                let closure = binding.initializer?.value.as(ClosureExprSyntax.self)
            else { return false }
            return closure.statements.completesTask(with: closure.parameterNames)
        }
    }

    /// Whether the expiration handler has already completed the task: a helper then does nothing.
    private func expirationHandlerCompletes(around call: FunctionCallExprSyntax) -> Bool {
        let name = call.calleeName
        return program.assignments.contains { assignment in
            assignment.setsExpirationHandler && assignment.typeName == call.typeName
                && assignment.rightOperand.all(FunctionCallExprSyntax.self).contains {
                    $0.calleeName == name || $0.calleeName == "setTaskCompleted"
                }
        }
    }

    // MARK: preceding code

    /// The way that a statement is reached after the task has expired, if nothing else decides that:
    /// the loop before it, or its branch.
    fileprivate func expiryBefore(_ call: FunctionCallExprSyntax) -> Expiry? {
        var node = Syntax(call)
        while let parent = node.parent {
            if let item = node.as(CodeBlockItemSyntax.self),
                let list = parent.as(CodeBlockItemListSyntax.self)
            {
                switch abandonedLoop(in: list.prefix { $0.id != item.id }) {
                case .left(let exit): return .loop(exit)
                case .notReached: return nil
                case .none: break
                }
            } else if let branch = parent.as(IfExprSyntax.self) {
                if node.is(ConditionElementListSyntax.self) { return nil }
                guard let value = facts.expiry.value(of: branch.conditions) else { return nil }
                return value == (node.id == branch.body.id)
                    ? .branch(Syntax(branch.conditions)) : nil
            } else if let guarded = parent.as(GuardStmtSyntax.self) {
                return facts.expiry.value(of: guarded.conditions) == false
                    ? .branch(Syntax(guarded.conditions)) : nil
            } else if let deferred = parent.as(DeferStmtSyntax.self) {
                guard let item = deferred.parent?.as(CodeBlockItemSyntax.self),
                    let list = item.parent?.as(CodeBlockItemListSyntax.self)
                else { return nil }
                let rest = list.drop { $0.id != item.id }.dropFirst()
                return rest.lazy.compactMap {
                    loopExit(in: Syntax($0.item), leaving: true, depth: 0)
                }
                .first.map { .loop($0) }
            } else if let clause = parent.as(CatchClauseSyntax.self) {
                return clause.catchItems.trimmedDescription.contains("CancellationError")
                    ? .branch(Syntax(clause.catchItems)) : nil
            } else if node.is(ClosureExprSyntax.self) {
                let isArgument =
                    parent.is(FunctionCallExprSyntax.self)
                    || parent.is(LabeledExprSyntax.self)
                    || parent.is(MultipleTrailingClosureElementSyntax.self)
                guard isArgument else { return nil }
            } else if parent.decidesWhetherItRuns {
                return nil
            }
            node = parent
        }
        return nil
    }

    /// The effect of statements before their end, after the task has expired.
    private enum Ending {
        case none
        case left(LoopExit)
        /// Their end may not be reached.
        case notReached
    }

    private func abandonedLoop(
        in items: some BidirectionalCollection<CodeBlockItemSyntax>, leaving: Bool = false,
        depth: Int = 0
    ) -> Ending {
        for item in items.reversed() {
            if let exit = loopExit(in: Syntax(item.item), leaving: leaving, depth: depth) {
                return .left(exit)
            }
            if item.mayEndHere(leaving: leaving) { return .notReached }
        }
        return .none
    }

    /// The place at which an expiration ends a loop of the statement. With `leaving`, a `return`
    /// also ends it: the caller then continues.
    private func loopExit(in statement: Syntax, leaving: Bool, depth: Int) -> LoopExit? {
        guard depth < 5 else { return nil }
        let inside = { (list: CodeBlockItemListSyntax, leaving: Bool) -> LoopExit? in
            guard case .left(let exit) = abandonedLoop(in: list, leaving: leaving, depth: depth + 1)
            else { return nil }
            return exit
        }
        if let labeled = statement.as(LabeledStmtSyntax.self) {
            return loopExit(in: Syntax(labeled.statement), leaving: leaving, depth: depth)
        }
        if let loop = ExpiringLoop(statement) {
            return loop.exit(facts.expiry, leaving: leaving) ?? inside(loop.body, leaving)
        }
        if let block = statement.as(DoStmtSyntax.self) {
            return inside(block.body.statements, leaving)
        }
        if let wrapped = statement.as(ExpressionStmtSyntax.self) {
            return loopExit(in: Syntax(wrapped.expression), leaving: leaving, depth: depth)
        }
        if let choice = statement.as(IfExprSyntax.self) {
            if let exit = inside(choice.body.statements, leaving) { return exit }
            switch choice.elseBody {
            case .ifExpr(let next)?:
                return loopExit(in: Syntax(next), leaving: leaving, depth: depth)
            case .codeBlock(let block)?: return inside(block.statements, leaving)
            case nil: return nil
            }
        }
        guard let call = statement.as(ExprSyntax.self)?.bare.as(FunctionCallExprSyntax.self) else {
            return nil
        }
        if call.runsClosureOnce {
            return call.trailingClosure.flatMap { inside($0.statements, true) }
        }
        guard let function = program.function(calledBy: call),
            !function.body.mentionsCompletion
        else { return nil }
        return inside(function.body.statements, true)
    }
}

/// A loop with its exits.
private struct ExpiringLoop {
    var node: Syntax
    var body: CodeBlockItemListSyntax
    var label: String?

    init?(_ node: Syntax) {
        if let loop = node.as(ForStmtSyntax.self) {
            body = loop.body.statements
        } else if let loop = node.as(WhileStmtSyntax.self) {
            body = loop.body.statements
        } else if let loop = node.as(RepeatStmtSyntax.self) {
            body = loop.body.statements
        } else {
            return nil
        }
        self.node = node
        label = node.parent?.as(LabeledStmtSyntax.self)?.label.text
    }

    /// The place where an expiration ends the loop, or skips the rest of its passes.
    func exit(_ expiry: ExpirySignals, leaving: Bool) -> LoopExit? {
        if let loop = node.as(ForStmtSyntax.self), let condition = loop.whereClause?.condition,
            let value = expiry.value(of: condition), !value
        {
            return LoopExit(node: Syntax(condition), unexpired: condition.unexpired(false))
        }
        if let loop = node.as(RepeatStmtSyntax.self), expiry.value(of: loop.condition) == false {
            return LoopExit(
                node: Syntax(loop.condition), unexpired: loop.condition.unexpired(false))
        }
        if let loop = node.as(WhileStmtSyntax.self), expiry.value(of: loop.conditions) == false {
            return LoopExit(
                node: Syntax(loop.conditions), unexpired: loop.conditions.unexpired(false))
        }
        let breaks = node.atOnce(BreakStmtSyntax.self).filter {
            isMine(Syntax($0), label: $0.label?.text, endsSwitches: true)
        }
        let continues = node.atOnce(ContinueStmtSyntax.self).filter {
            isMine(Syntax($0), label: $0.label?.text, endsSwitches: false)
        }
        let returns = leaving ? node.atOnce(ReturnStmtSyntax.self) : []
        let ways =
            breaks.map { Syntax($0) } + continues.map { Syntax($0) } + returns.map { Syntax($0) }
        return ways.lazy.compactMap { reason(for: $0, expiry) }.first
    }

    /// Whether a `break` or `continue` belongs to this loop.
    private func isMine(_ way: Syntax, label: String?, endsSwitches: Bool) -> Bool {
        if let label { return label == self.label }
        var current = way.parent
        while let outer = current, outer.id != node.id {
            if ExpiringLoop(outer) != nil || endsSwitches && outer.is(SwitchExprSyntax.self) {
                return false
            }
            current = outer.parent
        }
        return true
    }

    /// The exit if an `if` or a `guard` around the statement leads to it because of an expiration,
    /// and nothing there completes the task.
    private func reason(for way: Syntax, _ expiry: ExpirySignals) -> LoopExit? {
        var child = way
        while let parent = child.parent, parent.id != node.id {
            if let choice = parent.as(IfExprSyntax.self),
                let value = expiry.value(of: choice.conditions),
                value == (child.id == choice.body.id), !child.mentionsCompletion
            {
                return LoopExit(
                    node: Syntax(choice.conditions), unexpired: choice.conditions.unexpired(value))
            }
            if let guarded = parent.as(GuardStmtSyntax.self),
                expiry.value(of: guarded.conditions) == false, !child.mentionsCompletion
            {
                return LoopExit(
                    node: Syntax(guarded.conditions), unexpired: guarded.conditions.unexpired(false)
                )
            }
            child = parent
        }
        return nil
    }
}

extension ConditionElementListSyntax {
    fileprivate func unexpired(_ value: Bool) -> String? {
        guard count == 1, case .expression(let only)? = first?.condition else { return nil }
        return only.unexpired(value)
    }
}

extension ExprSyntax {
    /// A plain flag, negated if it has `value` after the task has expired and that is true.
    fileprivate func unexpired(_ value: Bool) -> String? {
        if let negated = `as`(PrefixOperatorExprSyntax.self), negated.operator.text == "!" {
            return negated.expression.unexpired(!value)
        }
        guard `is`(DeclReferenceExprSyntax.self) || `is`(MemberAccessExprSyntax.self) else {
            return nil
        }
        return (value ? "!" : "") + words
    }
}

extension CodeBlockItemSyntax {
    /// Whether the code after the statement may be skipped because of it.
    fileprivate func mayEndHere(leaving: Bool) -> Bool {
        let body = item.as(DoStmtSyntax.self).map { Syntax($0.body) } ?? Syntax(item)
        // After a `return`, the caller continues.
        if !leaving, !body.atOnce(ReturnStmtSyntax.self).isEmpty { return true }
        if !body.atOnce(ThrowStmtSyntax.self).isEmpty { return true }
        if item.is(BreakStmtSyntax.self) || item.is(ContinueStmtSyntax.self) { return true }
        let leaves = !leaving && item.is(GuardStmtSyntax.self) || body.mentionsCompletion
        return leaves
            || body.atOnce(FunctionCallExprSyntax.self).contains {
                ["checkCancellation", "fatalError", "exit", "abort"].contains($0.calleeName)
            }
    }
}

extension SyntaxProtocol {
    /// Whether this code calls setTaskCompleted immediately.
    fileprivate var mentionsCompletion: Bool {
        atOnce(FunctionCallExprSyntax.self).contains { $0.calleeName == "setTaskCompleted" }
    }

    fileprivate func completesTask(with names: [String]) -> Bool {
        all(FunctionCallExprSyntax.self).contains { call in
            call.calleeName == "setTaskCompleted"
                && (call.argument("success")?.name.map(names.contains) ?? false)
        }
    }

    /// The nearest function or closure around this node.
    fileprivate var code: Syntax? {
        var node = parent
        while let current = node {
            if current.is(FunctionDeclSyntax.self) || current.is(ClosureExprSyntax.self) {
                return current
            }
            node = current.parent
        }
        return nil
    }

    fileprivate var outermostCode: Syntax? {
        var found = code
        while let outer = found?.code { found = outer }
        return found
    }

    /// Whether it may skip its contents, or is not part of the code that runs around it.
    fileprivate var decidesWhetherItRuns: Bool {
        let node = Syntax(self)
        return node.is(SwitchExprSyntax.self) || node.is(TernaryExprSyntax.self)
            || node.is(FunctionDeclSyntax.self) || node.is(AccessorDeclSyntax.self)
            || node.is(InfixOperatorExprSyntax.self) || node.is(InitializerDeclSyntax.self)
            || ExpiringLoop(node) != nil
    }
}
