// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension ExprSyntax {
    /// The expression without surrounding parentheses, casts, `try`, `await`, `!` and `?`.
    var bare: ExprSyntax {
        if let cast = self.as(AsExprSyntax.self) { return cast.expression.bare }
        if let unwrapped = self.as(ForceUnwrapExprSyntax.self) { return unwrapped.expression.bare }
        if let chained = self.as(OptionalChainingExprSyntax.self) {
            return chained.expression.bare
        }
        if let tried = self.as(TryExprSyntax.self) { return tried.expression.bare }
        if let awaited = self.as(AwaitExprSyntax.self) { return awaited.expression.bare }
        if let tuple = self.as(TupleExprSyntax.self), tuple.elements.count == 1,
            let only = tuple.elements.first, only.label == nil
        {
            return only.expression.bare
        }
        return self
    }

    /// The name, if this is one, or a cast of one.
    var name: String? { bare.as(DeclReferenceExprSyntax.self)?.baseName.text }

    /// `shared` of `BGTaskScheduler.shared`, `x` of `x`.
    var lastName: String? {
        bare.as(MemberAccessExprSyntax.self)?.declName.baseName.text ?? name
    }

    /// The source without surrounding trivia, on one line.
    var words: String {
        trimmedDescription.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

extension FunctionCallExprSyntax {
    /// `f` of `a.b.f(x)`.
    var calleeName: String? { calledExpression.lastName }

    /// `a.b` of `a.b.f(x)`; nil for `f(x)` and for `.f(x)`.
    var receiver: ExprSyntax? { calledExpression.bare.as(MemberAccessExprSyntax.self)?.base }

    func argument(_ label: String) -> ExprSyntax? {
        arguments.first { $0.label?.text == label }?.expression
    }

    /// All inputs of a call: arguments, then trailing closures. The first trailing closure has no
    /// label.
    var inputs: [CallInput] {
        var all = arguments.map { CallInput(label: $0.label?.text, value: $0.expression) }
        if let trailingClosure {
            all.append(CallInput(label: nil, value: ExprSyntax(trailingClosure), trails: true))
        }
        all += additionalTrailingClosures.map {
            CallInput(label: $0.label.text, value: ExprSyntax($0.closure), trails: true)
        }
        return all
    }

    /// The closure with a label, or the trailing one.
    func closure(_ label: String) -> ClosureExprSyntax? {
        argument(label)?.as(ClosureExprSyntax.self)
            ?? additionalTrailingClosures.first { $0.label.text == label }?.closure
            ?? trailingClosure
    }
}

struct CallInput {
    var label: String?
    var value: ExprSyntax
    var trails = false
}

extension ClosureExprSyntax {
    /// `a`, `b` of `{ a, b in`; `$0` if the closure names no parameters.
    var parameterNames: [String] {
        switch signature?.parameterClause {
        case .simpleInput(let list)?: list.map(\.name.text)
        case .parameterClause(let clause)?:
            clause.parameters.map { ($0.secondName ?? $0.firstName).text }
        case nil: ["$0"]
        }
    }
}

extension SyntaxProtocol {
    /// The nearest enclosing node of type `Node`.
    func enclosing<Node: SyntaxProtocol>(_ type: Node.Type) -> Node? {
        var node = parent
        while let current = node {
            if let found = current.as(Node.self) { return found }
            node = current.parent
        }
        return nil
    }

    /// All contained nodes, including this one, in the order of the source.
    func all<Node: SyntaxProtocol>(_ type: Node.Type) -> [Node] {
        var found: [Node] = []
        var waiting = [Syntax(self)]
        while let node = waiting.popLast() {
            if let match = node.as(Node.self) { found.append(match) }
            waiting += node.children(viewMode: .sourceAccurate).reversed()
        }
        return found
    }

    /// The nodes that run with this code: not those in closures and functions inside.
    func atOnce<Node: SyntaxProtocol>(_ type: Node.Type) -> [Node] {
        all(type).filter { node in
            var parent = node.parent
            while let current = parent, current.id != id {
                if current.is(ClosureExprSyntax.self) || current.is(FunctionDeclSyntax.self) {
                    return false
                }
                parent = current.parent
            }
            return true
        }
    }

    func contains(_ other: some SyntaxProtocol) -> Bool {
        position <= other.position && other.endPosition <= endPosition
            && root.id == other.root.id
    }

    /// The name of the type declaration around this node.
    var typeName: String? {
        var node = parent
        while let current = node {
            if let name = current.declaredTypeName { return name }
            node = current.parent
        }
        return nil
    }

    /// The name, if this node declares or extends a type.
    var declaredTypeName: String? {
        let node = Syntax(self)
        if let type = node.as(ClassDeclSyntax.self) { return type.name.text }
        if let type = node.as(StructDeclSyntax.self) { return type.name.text }
        if let type = node.as(EnumDeclSyntax.self) { return type.name.text }
        if let type = node.as(ActorDeclSyntax.self) { return type.name.text }
        if let type = node.as(ExtensionDeclSyntax.self) {
            return type.extendedType.trimmedDescription
        }
        return nil
    }
}
