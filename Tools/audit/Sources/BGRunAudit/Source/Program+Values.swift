// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// A text in the source, and its literal if it is one.
struct StatedText {
    var text: String
    var literal: StringLiteralExprSyntax?
}

extension Program {
    /// The text of an expression: literals and constants, joined or interpolated.
    func text(of expression: ExprSyntax) -> StatedText? { text(of: expression, depth: 0) }

    private func text(of expression: ExprSyntax, depth: Int) -> StatedText? {
        guard depth < 8 else { return nil }
        let bare = expression.bare
        if let literal = bare.as(StringLiteralExprSyntax.self) {
            return text(of: literal, depth: depth)
        }
        if let sum = bare.as(InfixOperatorExprSyntax.self),
            sum.operator.trimmedDescription == "+",
            let left = text(of: sum.leftOperand, depth: depth + 1),
            let right = text(of: sum.rightOperand, depth: depth + 1)
        {
            return StatedText(text: left.text + right.text)
        }
        guard let value = value(of: bare) else { return nil }
        return text(of: value, depth: depth + 1)
    }

    private func text(of literal: StringLiteralExprSyntax, depth: Int) -> StatedText? {
        var text = ""
        for segment in literal.segments {
            switch segment {
            case .stringSegment(let plain): text += plain.content.text
            case .expressionSegment(let part):
                guard let expression = part.expressions.first?.expression,
                    let inner = self.text(of: expression, depth: depth + 1)
                else { return nil }
                text += inner.text
            }
        }
        let isPlain = literal.segments.allSatisfy { $0.is(StringSegmentSyntax.self) }
        return StatedText(text: text, literal: isPlain ? literal : nil)
    }

    /// The value of an expression, in seconds or as a number.
    func number(of expression: ExprSyntax) -> Double? { number(of: expression, depth: 0) }

    private func number(of expression: ExprSyntax, depth: Int) -> Double? {
        guard depth < 8 else { return nil }
        let bare = expression.bare
        if let literal = bare.as(IntegerLiteralExprSyntax.self) {
            return Double(literal.literal.text.replacing("_", with: ""))
        }
        if let literal = bare.as(FloatLiteralExprSyntax.self) {
            return Double(literal.literal.text.replacing("_", with: ""))
        }
        if let negated = bare.as(PrefixOperatorExprSyntax.self), negated.operator.text == "-" {
            return number(of: negated.expression, depth: depth + 1).map { -$0 }
        }
        if let pair = bare.as(InfixOperatorExprSyntax.self) {
            guard let left = number(of: pair.leftOperand, depth: depth + 1),
                let right = number(of: pair.rightOperand, depth: depth + 1)
            else { return nil }
            switch pair.operator.trimmedDescription {
            case "+": return left + right
            case "-": return left - right
            case "*": return left * right
            case "/": return right == 0 ? nil : left / right
            default: return nil
            }
        }
        if let call = bare.as(FunctionCallExprSyntax.self) {
            return number(of: call, depth: depth)
        }
        guard let value = value(of: bare) else { return nil }
        return number(of: value, depth: depth + 1)
    }

    /// `TimeInterval(60)`, `.seconds(60)`, `.minutes(1)`.
    private func number(of call: FunctionCallExprSyntax, depth: Int) -> Double? {
        let units: [String: Double] = [
            "TimeInterval": 1, "Double": 1, "Int": 1, "UInt64": 1, "seconds": 1,
            "milliseconds": 0.001, "minutes": 60, "hours": 3600,
        ]
        guard let unit = call.calleeName.flatMap({ units[$0] }), call.arguments.count == 1,
            let argument = call.arguments.first,
            let value = number(of: argument.expression, depth: depth + 1)
        else { return nil }
        return value * unit
    }

    /// The expression, or the initial value if it is a constant.
    func definition(of expression: ExprSyntax) -> ExprSyntax {
        let bare = expression.bare
        return value(of: bare)?.bare ?? bare
    }

    /// The initial value of a name, or of a member of a type.
    private func value(of expression: ExprSyntax) -> ExprSyntax? {
        if let reference = expression.as(DeclReferenceExprSyntax.self) {
            let name = reference.baseName.text
            if let local = localValue(of: name, at: expression) { return local }
            if isParameter(name, at: expression) { return nil }
            let found = constants(named: name)
            let type = expression.typeName
            return (found.first { $0.typeName == type } ?? found.first { $0.typeName == nil })?
                .value ?? (found.count == 1 && found[0].typeName == type ? found[0].value : nil)
        }
        guard let member = expression.as(MemberAccessExprSyntax.self) else { return nil }
        let name = member.declName.baseName.text
        // `TaskID.refresh.rawValue`
        if name == "rawValue", let base = member.base { return value(of: base.bare) }
        let found = constants(named: name)
        guard let base = member.base?.trimmedDescription else {
            return found.count == 1 ? found[0].value : nil
        }
        let type = base == "self" || base == "Self" ? expression.typeName : lastPart(base)
        return found.first { $0.typeName == type }?.value
    }

    private func lastPart(_ name: String) -> String {
        String(name.split(separator: ".").last ?? "")
    }

    /// The value of a `let` in a function around the expression.
    private func localValue(of name: String, at expression: ExprSyntax) -> ExprSyntax? {
        var node = expression.parent
        while let current = node {
            if let block = current.as(CodeBlockItemListSyntax.self),
                !(block.parent?.is(SourceFileSyntax.self) ?? false)
            {
                for item in block where item.position < expression.position {
                    guard let variable = item.item.as(VariableDeclSyntax.self),
                        variable.bindingSpecifier.text == "let"
                    else { continue }
                    for binding in variable.bindings
                    where binding.pattern.trimmedDescription == name {
                        return binding.initializer?.value
                    }
                }
            }
            node = current.parent
        }
        return nil
    }

    private func isParameter(_ name: String, at expression: ExprSyntax) -> Bool {
        var node = expression.parent
        while let current = node {
            if let loop = current.as(ForStmtSyntax.self),
                loop.pattern.all(IdentifierPatternSyntax.self).contains(where: {
                    $0.identifier.text == name
                })
            {
                return true
            }
            if let function = Function(current) {
                return function.parameters.contains { $0.name == name }
            }
            if let closure = current.as(ClosureExprSyntax.self),
                closure.parameterNames.contains(name)
            {
                return true
            }
            node = current.parent
        }
        return false
    }
}
