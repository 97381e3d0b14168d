// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// The flags that signal the end of a task's time, with their values then.
struct ExpirySignals {
    private let program: Program
    /// The flags that expiration and cancellation handlers set, by name.
    private var flags: [String: [Flag]] = [:]
    /// The objects that these handlers call.
    private var told: Set<String> = []

    private struct Flag {
        var value: Bool
        var scope: Scope
        /// Set at the completion of the task: it also means that the work is done.
        var tellsCompletion: Bool
    }

    /// The type around a node, or else the outermost function or closure.
    private struct Scope: Equatable {
        var type: String?
        var code: SyntaxIdentifier?

        init(of node: some SyntaxProtocol) {
            type = node.typeName
            guard type == nil else { return }
            var current = node.parent
            while let outer = current {
                if outer.is(FunctionDeclSyntax.self) || outer.is(ClosureExprSyntax.self) {
                    code = outer.id
                }
                current = outer.parent
            }
        }
    }

    init(program: Program) {
        self.program = program
        for handler in program.interruptionHandlers {
            for code in program.code(reachedFrom: handler) {
                note(code, isHandler: code.id == handler.id)
            }
        }
    }

    private mutating func note(_ code: Syntax, isHandler: Bool) {
        let tellsCompletion =
            !isHandler
            && code.all(FunctionCallExprSyntax.self).contains {
                $0.calleeName == "setTaskCompleted"
            }
        for call in code.all(FunctionCallExprSyntax.self) {
            if let name = call.receiver?.lastName, let method = call.calleeName,
                !["self", "shared"].contains(name),
                method != "setTaskCompleted", !method.isSaying
            {
                told.insert(name)
            }
            guard ["store", "set"].contains(call.calleeName), let name = call.receiver?.lastName,
                let value = call.arguments.first?.expression.literalBool
            else { continue }
            flags[name, default: []].append(
                Flag(value: value, scope: Scope(of: call), tellsCompletion: tellsCompletion))
        }
        for pair in code.all(InfixOperatorExprSyntax.self)
        where pair.operator.is(AssignmentExprSyntax.self) {
            guard let value = pair.rightOperand.literalBool, let name = pair.leftOperand.flagName
            else { continue }
            flags[name, default: []].append(
                Flag(value: value, scope: Scope(of: pair), tellsCompletion: tellsCompletion))
        }
    }

    // MARK: conditions

    /// The value of a condition after the task has expired; nil if it depends on more.
    func value(of condition: ExprSyntax) -> Bool? { value(of: condition, depth: 0) }

    /// Whether all conditions hold after the task has expired; nil if it depends on more.
    func value(of conditions: ConditionElementListSyntax) -> Bool? {
        let values = conditions.map { element -> Bool? in
            guard case .expression(let expression) = element.condition else { return nil }
            return value(of: expression)
        }
        if values.contains(false) { return false }
        return values.allSatisfy { $0 == true } ? true : nil
    }

    private func value(of condition: ExprSyntax, depth: Int) -> Bool? {
        guard depth < 6 else { return nil }
        let bare = condition.bare
        if let negated = bare.as(PrefixOperatorExprSyntax.self), negated.operator.text == "!" {
            return value(of: negated.expression, depth: depth + 1).map { !$0 }
        }
        if let pair = bare.as(InfixOperatorExprSyntax.self) {
            return value(of: pair, depth: depth + 1)
        }
        if let call = bare.as(FunctionCallExprSyntax.self) {
            return value(of: call, depth: depth + 1)
        }
        if let known = knownValue(of: bare) { return known }
        let definition = program.definition(of: bare)
        return definition.id == bare.id ? nil : value(of: definition, depth: depth + 1)
    }

    private func value(of pair: InfixOperatorExprSyntax, depth: Int) -> Bool? {
        let left = value(of: pair.leftOperand, depth: depth)
        let right = value(of: pair.rightOperand, depth: depth)
        switch pair.operator.trimmedDescription {
        case "&&":
            if left == false || right == false { return false }
            return left == true && right == true ? true : nil
        case "||":
            if left == true || right == true { return true }
            return left == false && right == false ? false : nil
        case "??": return left
        case "==":
            guard let left, let literal = pair.rightOperand.literalBool else { return nil }
            return left == literal
        case "!=":
            guard let left, let literal = pair.rightOperand.literalBool else { return nil }
            return left != literal
        default: return nil
        }
    }

    /// `isExpired()`, `flag.load()`, `lock.withLock { isExpired }`.
    private func value(of call: FunctionCallExprSyntax, depth: Int) -> Bool? {
        if call.runsClosureOnce, let only = call.onlyExpressionOfClosure {
            return only.name == "$0"
                ? call.receiver.flatMap { value(of: $0, depth: depth) }
                : value(of: only, depth: depth)
        }
        if let known = knownValue(of: call.calledExpression.bare) { return known }
        guard let function = program.function(calledBy: call) else { return nil }
        let returns = function.body.atOnce(ReturnStmtSyntax.self).compactMap(\.expression)
        if returns.count == 1 { return value(of: returns[0], depth: depth) }
        guard returns.isEmpty, function.body.statements.count == 1,
            case .expr(let only)? = function.body.statements.first?.item
        else { return nil }
        return value(of: only, depth: depth)
    }

    /// The value of a name or a member that is itself a flag.
    private func knownValue(of expression: ExprSyntax) -> Bool? {
        guard let name = expression.lastName else { return nil }
        let base = expression.as(MemberAccessExprSyntax.self)?.base
        if let base, readers.contains(name) {
            return knownValue(of: base.bare)
        }
        let values = Set(
            (flags[name] ?? []).filter { flag in
                name.saysInterrupted
                    || !flag.tellsCompletion && flag.scope == Scope(of: expression)
            }.map(\.value))
        if values.count == 1 { return values.first }
        guard values.isEmpty, name.saysInterrupted else { return nil }
        let owner = base?.lastName
        if let owner, told.contains(owner) { return true }
        // Other things also expire, such as passwords.
        guard name.lowercased().contains("cancel") else { return nil }
        guard let base, let owner else { return true }
        guard !base.isMadeByLoopAround(expression) else { return nil }
        return owner.isWork ? true : nil
    }

    // MARK: checks

    /// Whether code checks whether it was stopped, directly or in a function or property it uses.
    func areLookedAt(in node: Syntax) -> Bool {
        if looks(node) || asksWhatWasTold(node) { return true }
        let calls = node.all(FunctionCallExprSyntax.self)
        if calls.contains(where: { call in
            program.function(calledBy: call).map { looks(Syntax($0.body)) } ?? false
        }) {
            return true
        }
        return node.all(DeclReferenceExprSyntax.self).contains { reference in
            let name = reference.baseName.text
            let type = reference.typeName
            return program.constants(named: name).contains {
                $0.typeName == type && looks(Syntax($0.value))
            }
        }
    }

    private func looks(_ node: Syntax) -> Bool {
        node.all(DeclReferenceExprSyntax.self).contains { reference in
            let name = reference.baseName.text
            if ["isCancelled", "isCanceled", "checkCancellation"].contains(name) { return true }
            guard let known = flags[name] else { return false }
            return known.contains { $0.scope == Scope(of: reference) }
        }
    }

    /// Whether a condition reads an object that the expiration handler calls.
    private func asksWhatWasTold(_ node: Syntax) -> Bool {
        let conditions =
            node.all(ConditionElementListSyntax.self).map { Syntax($0) }
            + node.all(WhereClauseSyntax.self).map { Syntax($0) }
        return conditions.flatMap { $0.all(MemberAccessExprSyntax.self) }.contains { member in
            guard let owner = member.base?.lastName, told.contains(owner) else { return false }
            return !(member.parent?.is(FunctionCallExprSyntax.self) ?? false)
        }
    }
}

/// The accessors of a flag that is kept in an object.
private let readers: Set<String> = [
    "value", "load", "get", "wrappedValue", "isSet", "isRaised", "current",
]

extension Program {
    /// The code that runs when a task expires or is cancelled: closures, and the bodies of
    /// functions that are named in their place.
    fileprivate var interruptionHandlers: [Syntax] {
        var handlers: [Syntax] = []
        for assignment in assignments where assignment.setsExpirationHandler {
            let value = assignment.rightOperand.bare
            handlers.append(Syntax(value))
            guard !value.is(ClosureExprSyntax.self),
                let function = function(referredToBy: value)
            else { continue }
            handlers.append(Syntax(function.body))
        }
        for call in calls(named: "withTaskCancellationHandler") {
            if let closure = call.inputs.first(where: { $0.label == "onCancel" })?.value {
                handlers.append(Syntax(closure))
            }
        }
        return handlers
    }
}

extension FunctionCallExprSyntax {
    fileprivate var onlyExpressionOfClosure: ExprSyntax? {
        let closure = inputs.lazy.compactMap { $0.value.as(ClosureExprSyntax.self) }.first
        guard let statements = closure?.statements, statements.count == 1,
            case .expr(let only)? = statements.first?.item
        else { return nil }
        return only
    }
}

extension ExprSyntax {
    fileprivate var literalBool: Bool? {
        bare.as(BooleanLiteralExprSyntax.self).map { $0.literal.tokenKind == .keyword(.true) }
    }

    /// `a` of `a`, `self.a` and `a.value`, and of `a.withLock { $0 }`.
    fileprivate var flagName: String? {
        guard let name = lastName else { return nil }
        if name == "$0" {
            return enclosing(ClosureExprSyntax.self)?.enclosing(FunctionCallExprSyntax.self)?
                .receiver?.lastName
        }
        guard readers.contains(name), let base = bare.as(MemberAccessExprSyntax.self)?.base else {
            return name
        }
        return base.lastName
    }

    /// Whether a loop around `place` declares this, in its pattern or its body.
    fileprivate func isMadeByLoopAround(_ place: ExprSyntax) -> Bool {
        guard let name = lastName else { return false }
        var node = place.parent
        while let current = node {
            let isLoop =
                current.is(ForStmtSyntax.self) || current.is(WhileStmtSyntax.self)
                || current.is(RepeatStmtSyntax.self)
            if isLoop {
                return current.all(IdentifierPatternSyntax.self).contains {
                    $0.identifier.text == name
                }
            }
            node = current.parent
        }
        return false
    }
}

extension String {
    /// Whether the name of a flag means that work was cancelled or has expired.
    fileprivate var saysInterrupted: Bool {
        let name = lowercased()
        return (name.contains("cancel") || name.contains("expir"))
            && !["not", "cancancel", "allowscancel", "cancellable", "cancelable"]
                .contains { name.contains($0) }
    }

    /// Whether an object of this name can be the work of a task.
    fileprivate var isWork: Bool {
        let name = lowercased()
        return ["self", "op", "current", "$0"].contains(name)
            || ["operation", "task", "work", "job", "token", "progress", "thread", "block", "flag"]
                .contains { name.contains($0) }
    }
}
