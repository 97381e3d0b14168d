// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// `request.earliestBeginDate = ...` with a known delay.
struct BeginDate {
    let kind: TaskKind
    /// The delay from now.
    let seconds: Double
    /// The expression of the delay, which a fix-it replaces; nil if it is not in seconds.
    let delay: ExprSyntax?
    let assignment: InfixOperatorExprSyntax

    static func all(in facts: Facts) -> [BeginDate] {
        facts.program.assignments.compactMap { assignment in
            guard assignment.operator.is(AssignmentExprSyntax.self),
                let target = assignment.leftOperand.bare.as(MemberAccessExprSyntax.self),
                target.declName.baseName.text == "earliestBeginDate",
                let variable = target.base?.name,
                let kind = facts.kindOfRequest(named: variable, at: assignment),
                let (seconds, delay) = facts.program.delay(of: assignment.rightOperand)
            else { return nil }
            return BeginDate(kind: kind, seconds: seconds, delay: delay, assignment: assignment)
        }
    }
}

extension Facts {
    /// The kind of the request in a variable, at a place of its function.
    fileprivate func kindOfRequest(named name: String, at node: some SyntaxProtocol) -> TaskKind? {
        let scope = node.enclosing(CodeBlockSyntax.self)
        let near = requests.last { request in
            request.variable == name && request.call.position < node.position
                && request.call.root.id == node.root.id
                && (scope?.contains(request.call) ?? true)
        }
        if let near { return near.kind }
        return node.enclosing(FunctionDeclSyntax.self).flatMap { Function(Syntax($0)) }?
            .parameters.first { $0.name == name }
            .flatMap { parameter in
                TaskKind.allCases.first { parameter.type.contains($0.requestName) }
            }
    }
}

extension Program {
    /// The delay of a date from now.
    fileprivate func delay(of expression: ExprSyntax) -> (Double, ExprSyntax?)? {
        let value = definition(of: expression)
        if value.isNow { return (0, value) }
        if let sum = value.as(InfixOperatorExprSyntax.self),
            sum.operator.trimmedDescription == "+", sum.leftOperand.bare.isNow
        {
            return number(of: sum.rightOperand).map { ($0, sum.rightOperand) }
        }
        guard let call = value.as(FunctionCallExprSyntax.self) else { return nil }
        if let delay = call.argument("timeIntervalSinceNow") {
            return number(of: delay).map { ($0, delay) }
        }
        if ["addingTimeInterval", "advanced"].contains(call.calleeName),
            call.receiver?.bare.isNow ?? false, let delay = call.arguments.first?.expression
        {
            return number(of: delay).map { ($0, delay) }
        }
        // Calendar.current.date(byAdding: .minute, value: 5, to: now)
        let units: [String: Double] = [
            ".second": 1, ".minute": 60, ".hour": 3600, ".day": 86_400, ".weekOfYear": 604_800,
            ".month": 2_592_000,
        ]
        if let unit = call.argument("byAdding").flatMap({ units[$0.trimmedDescription] }),
            let count = call.argument("value").flatMap(number(of:)),
            call.argument("to").map({ definition(of: $0).isNow }) ?? false
        {
            return (unit * count, nil)
        }
        return nil
    }
}

extension ExprSyntax {
    fileprivate var isNow: Bool {
        ["Date()", "Date.now", ".now", "Date.init()", "Date(timeIntervalSinceNow: 0)"]
            .contains(words)
    }
}
