// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// Walks every path through one body, and records its effect on a duty.
final class PathWalker {
    let paths: Paths
    let body: Body
    var duty: Duty
    var summary = PathSummary()
    /// Whether the last call fulfilled its duty even when it throws.
    var throwsDone = false
    /// Variables that get this value once the duty is fulfilled.
    private let flags: [String: Bool]

    init(paths: Paths, body: Body, duty: Duty) {
        self.paths = paths
        self.body = body
        self.duty = duty
        flags = Self.flags(in: body.node)
    }

    func summarize() -> PathSummary {
        duty.expiryCompletes = duty.expiryCompletes || expirationHandlerCompletes
        let flow = walk(body.items, [PathState()])
        let ends = flow.next.merged
        let returned = flow.exits.filter { $0.kind == .returned }
        let threw = flow.exits.filter { $0.kind == .threw }
        let left = ends + returned.map(\.state)
        summary.isSure = summary.discharges && left.allSatisfy { !$0.isOpen }
        summary.isImmediate = summary.discharges && left.allSatisfy(\.isDone)
        summary.throwsOpen = threw.contains { $0.state.isOpen }
        guard summary.discharges else { return summary }
        for state in ends where state.isOpen {
            report(.ends(state.branch), state.branch?.node ?? body.node)
        }
        for exit in returned where exit.state.isOpen { report(.returns, exit.node) }
        // The caller of a function handles its errors.
        if body.isClosure {
            for exit in threw where exit.state.isOpen { report(.throwsOut, exit.node) }
        }
        return summary
    }

    func report(_ kind: PathProblem.Kind, _ node: Syntax) {
        summary.problems.append(PathProblem(kind: kind, node: node, duty: duty, body: body))
    }

    // MARK: statements

    func walk(_ items: CodeBlockItemListSyntax, _ states: [PathState]) -> Flow {
        let outer = duty
        defer { duty = outer }
        for item in items { noteLocalFunction(item) }
        return walk(Array(items)[...], states)
    }

    private func walk(_ items: ArraySlice<CodeBlockItemSyntax>, _ states: [PathState]) -> Flow {
        var flow = Flow(next: states)
        for index in items.indices {
            guard !flow.next.isEmpty else { break }
            if let deferred = items[index].item.as(DeferStmtSyntax.self) {
                var rest = walk(items[(index + 1)...], flow.next)
                rest.next = walk(deferred.body.statements, rest.next).next
                for position in rest.exits.indices {
                    let after = walk(deferred.body.statements, [rest.exits[position].state]).next
                    if let state = after.first { rest.exits[position].state = state }
                }
                return Flow(next: rest.next, exits: flow.exits + rest.exits)
            }
            flow.then { walk(items[index].item, $0) }
        }
        flow.next = flow.next.merged
        return flow
    }

    private func walk(_ item: CodeBlockItemSyntax.Item, _ states: [PathState]) -> Flow {
        switch item {
        case .expr(let expression): evaluate(expression, states)
        case .stmt(let statement): walk(statement, states)
        case .decl(let declaration): walk(declaration, states)
        }
    }

    private func walk(_ declaration: DeclSyntax, _ states: [PathState]) -> Flow {
        var flow = Flow(next: states)
        if let variable = declaration.as(VariableDeclSyntax.self) {
            for binding in variable.bindings {
                guard let value = binding.initializer?.value else { continue }
                flow.then { bind(binding.pattern, to: value, $0) }
            }
        } else if let conditional = declaration.as(IfConfigDeclSyntax.self) {
            return walk(conditional, states)
        }
        return flow
    }

    /// `let finish = { }` may be a completer, `let refresh = task as! T` is the task.
    func bind(_ pattern: PatternSyntax, to value: ExprSyntax, _ states: [PathState]) -> Flow {
        let name = pattern.as(IdentifierPatternSyntax.self)?.identifier.text
        if let closure = value.bare.as(ClosureExprSyntax.self), let name {
            noteCompleter(name, Body(closure), duty.inside(closure))
            return Flow(next: states)
        }
        if duty.isMeant(by: value) {
            if let name, !duty.names.contains(name) { duty.names.append(name) }
            return Flow(next: states)
        }
        let flow = evaluate(value, states)
        if let name { duty.hide(name) }
        return flow
    }

    private func noteLocalFunction(_ item: CodeBlockItemSyntax) {
        guard let declaration = item.item.as(FunctionDeclSyntax.self),
            let function = Function(Syntax(declaration))
        else { return }
        var inner = duty
        for parameter in function.parameters { inner.hide(parameter.name) }
        noteCompleter(function.name, Body(function), inner)
    }

    private func noteCompleter(_ name: String, _ body: Body, _ duty: Duty) {
        let found = paths.summary(of: body, duty: duty)
        guard found.discharges else { return }
        summary.problems += found.problems
        self.duty.completers[name] = Completer(isPlain: found.isImmediate)
    }

    private func walk(_ statement: StmtSyntax, _ states: [PathState]) -> Flow {
        if let returned = statement.as(ReturnStmtSyntax.self) {
            return leave(.returned, Syntax(returned), after: returned.expression, states)
        }
        if let thrown = statement.as(ThrowStmtSyntax.self) {
            return leave(.threw, Syntax(thrown), after: thrown.expression, states)
        }
        if let broke = statement.as(BreakStmtSyntax.self) {
            return leave(.broke(broke.label?.text), Syntax(broke), after: nil, states)
        }
        if let continued = statement.as(ContinueStmtSyntax.self) {
            return leave(.continued(continued.label?.text), Syntax(continued), after: nil, states)
        }
        if let falling = statement.as(FallThroughStmtSyntax.self) {
            return leave(.fellThrough, Syntax(falling), after: nil, states)
        }
        if let expression = statement.as(ExpressionStmtSyntax.self) {
            return evaluate(expression.expression, states)
        }
        if let guarded = statement.as(GuardStmtSyntax.self) { return walk(guarded, states) }
        if let labeled = statement.as(LabeledStmtSyntax.self) {
            return walk(labeled.statement, states, label: labeled.label.text)
        }
        return walk(statement, states, label: nil)
    }

    private func walk(_ statement: StmtSyntax, _ states: [PathState], label: String?) -> Flow {
        if let loop = statement.as(ForStmtSyntax.self) { return walk(loop, states, label) }
        if let loop = statement.as(WhileStmtSyntax.self) { return walk(loop, states, label) }
        if let loop = statement.as(RepeatStmtSyntax.self) { return walk(loop, states, label) }
        if let tried = statement.as(DoStmtSyntax.self) {
            var flow = walk(tried, states)
            flow.next += flow.take { $0 == .broke(label) && label != nil }
            return flow
        }
        if let expression = statement.as(ExpressionStmtSyntax.self) {
            var flow = evaluate(expression.expression, states)
            flow.next += flow.take { $0 == .broke(label) && label != nil }
            return flow
        }
        return evaluateChildren(of: Syntax(statement), states)
    }

    private func leave(
        _ kind: Flow.Exit.Kind, _ node: Syntax, after expression: ExprSyntax?,
        _ states: [PathState]
    ) -> Flow {
        var flow = expression.map { evaluate($0, states) } ?? Flow(next: states)
        flow.exits += flow.next.map { Flow.Exit(kind: kind, node: node, state: $0) }
        flow.next = []
        return flow
    }

    // MARK: conditions

    /// Whether the expiration handler that this body sets completes the task: directly, or with a
    /// function that gets the task or has access to it.
    private var expirationHandlerCompletes: Bool {
        guard duty.kind == .task else { return false }
        let names = localCompleters
        return body.node.all(InfixOperatorExprSyntax.self).contains { assignment in
            assignment.setsExpirationHandler
                && assignment.rightOperand.all(FunctionCallExprSyntax.self).contains { call in
                    guard let name = call.calleeName, !name.isSaying else { return false }
                    return name == "setTaskCompleted" || names.contains(name)
                        || call.arguments.contains { duty.isMeant(by: $0.expression) }
                }
        }
    }

    /// The names of local closures and functions that complete the task.
    private var localCompleters: Set<String> {
        var names: Set<String> = []
        for binding in body.node.all(PatternBindingSyntax.self)
        where binding.initializer?.value.is(ClosureExprSyntax.self) ?? false {
            if binding.completesTask { names.insert(binding.pattern.trimmedDescription) }
        }
        for function in body.node.all(FunctionDeclSyntax.self)
        where function.id != body.node.id && function.completesTask {
            names.insert(function.name.text)
        }
        return names
    }

    private static func flags(in node: Syntax) -> [String: Bool] {
        var flags: [String: Bool] = [:]
        for pair in node.all(InfixOperatorExprSyntax.self)
        where pair.operator.is(AssignmentExprSyntax.self) {
            guard let name = pair.leftOperand.lastName,
                let value = pair.rightOperand.as(BooleanLiteralExprSyntax.self),
                !isSetOnlyToStop(pair)
            else { continue }
            flags[name] = value.literal.tokenKind == .keyword(.true)
        }
        return flags
    }

    /// Whether a flag is set by an expiration handler that leaves the completion to the work.
    private static func isSetOnlyToStop(_ assignment: InfixOperatorExprSyntax) -> Bool {
        var node = assignment.parent
        while let current = node {
            if let outer = current.as(InfixOperatorExprSyntax.self), outer.setsExpirationHandler {
                return !outer.rightOperand.completesTask
            }
            node = current.parent
        }
        return false
    }

    /// Whether the duty is fulfilled, or that of other code, if the condition is `value`: a flag
    /// indicates it, or the work was cancelled and the expiration handler completes the task.
    func excuses(_ conditions: ConditionElementListSyntax, being value: Bool) -> Bool {
        conditions.contains { element in
            guard case .expression(let expression) = element.condition else { return false }
            return isExcuse(expression, being: value)
        }
    }

    private func isExcuse(_ expression: ExprSyntax, being value: Bool) -> Bool {
        let bare = expression.bare
        if let negated = bare.as(PrefixOperatorExprSyntax.self), negated.operator.text == "!" {
            return isExcuse(negated.expression, being: !value)
        }
        // Another task has replaced this one.
        if let pair = bare.as(InfixOperatorExprSyntax.self),
            duty.isMeant(by: pair.leftOperand) || duty.isMeant(by: pair.rightOperand)
        {
            return pair.operator.trimmedDescription == (value ? "!==" : "===")
        }
        guard let name = bare.lastName else { return false }
        if duty.expiryCompletes, ["isCancelled", "isExpired"].contains(name) { return value }
        return flags[name] == value
    }

    /// Whether the conditions only cast or unwrap the task. Its identifier guarantees its class, so
    /// a cast succeeds; a released task needs no completion.
    func isOnlyCast(_ conditions: ConditionElementListSyntax) -> Bool {
        duty.kind == .task
            && conditions.allSatisfy { element in
                switch element.condition {
                case .optionalBinding(let binding):
                    guard let value = binding.initializer?.value else {
                        return duty.names.contains(binding.pattern.trimmedDescription)
                    }
                    return duty.isMeant(by: value)
                case .expression(let expression):
                    guard let test = expression.as(IsExprSyntax.self) else { return false }
                    return duty.isMeant(by: test.expression)
                default: return false
                }
            }
    }
}

extension SyntaxProtocol {
    /// Whether it contains a call of setTaskCompleted.
    fileprivate var completesTask: Bool {
        all(FunctionCallExprSyntax.self).contains { $0.calleeName == "setTaskCompleted" }
    }
}
