// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// The files of one audit, and their declarations.
final class Program {
    let files: [SourceFile]
    let functions: [Function]
    let calls: [FunctionCallExprSyntax]
    /// `a = b`
    let assignments: [InfixOperatorExprSyntax]
    let members: [MemberAccessExprSyntax]
    /// `#if`
    let conditionals: [IfConfigDeclSyntax]
    private let callsByName: [String: [FunctionCallExprSyntax]]
    /// By base name.
    private var functionsByName: [String: [Function]] = [:]
    /// `static let` and `let` of types, cases with raw values, and globals, by name.
    private var constants: [String: [Constant]] = [:]
    private var filesByRoot: [SyntaxIdentifier: SourceFile] = [:]

    struct Constant {
        var typeName: String?
        var value: ExprSyntax
    }

    init(files: [SourceFile]) {
        self.files = files
        let indices = files.map { SyntaxIndex($0) }
        calls = indices.flatMap(\.calls)
        assignments = indices.flatMap(\.assignments)
        functions = indices.flatMap(\.functions)
        members = indices.flatMap(\.members)
        conditionals = indices.flatMap(\.conditionals)
        callsByName = Dictionary(grouping: calls) { $0.calleeName ?? "" }
        for file in files { filesByRoot[file.tree.id] = file }
        for function in functions { functionsByName[function.name, default: []].append(function) }
        for index in indices { collectConstants(of: index) }
    }

    func file(of node: some SyntaxProtocol) -> SourceFile? { filesByRoot[node.root.id] }

    func calls(named name: String) -> [FunctionCallExprSyntax] { callsByName[name] ?? [] }

    func functions(named name: String) -> [Function] { functionsByName[name] ?? [] }

    /// The callee of a call, as far as names and labels determine it: prefers one of the same type.
    func function(calledBy call: FunctionCallExprSyntax) -> Function? {
        guard let name = call.calleeName else { return nil }
        // An initializer: `Worker(task: task)`.
        let candidates =
            functions(named: name).filter { $0.takes(call) }
            + functions(named: "init").filter { $0.typeName == name && $0.takes(call) }
        let receiver = call.receiver?.bare.trimmedDescription
        if receiver == nil || receiver == "self" || receiver == "Self" {
            let local = candidates.first { $0.node.contains(call) || $0.typeName == call.typeName }
            if let local { return local }
        }
        if let receiver, let named = candidates.first(where: { $0.typeName == receiver }) {
            return named
        }
        // A method of an object of unknown class: not one of this program if the class is Apple's.
        if let receiver, receiver.hasPrefix("BGTaskScheduler") { return nil }
        return candidates.first
    }

    /// A function named without a call, as in `launchHandler: handle`.
    func function(referredToBy expression: ExprSyntax) -> Function? {
        guard let name = expression.lastName else { return nil }
        let candidates = functions(named: name)
        return candidates.first { $0.typeName == expression.typeName } ?? candidates.first
    }

    /// The functions that a node calls, directly or indirectly, its direct callees first.
    func functionsReached(from node: some SyntaxProtocol) -> [Function] {
        var reached: [Function] = []
        var seen: Set<SyntaxIdentifier> = []
        var waiting = [Syntax(node)]
        while let next = waiting.popLast() {
            for call in next.all(FunctionCallExprSyntax.self) {
                var called = [function(calledBy: call)]
                // A method passed by name.
                called += call.arguments.map { argument in
                    argument.expression.is(ClosureExprSyntax.self)
                        || argument.expression.is(FunctionCallExprSyntax.self)
                        ? nil : function(handedOver: argument.expression)
                }
                for function in called.compactMap(\.self)
                where seen.insert(function.node.id).inserted {
                    reached.append(function)
                    waiting.append(Syntax(function.body))
                }
            }
        }
        return reached
    }

    private func function(handedOver expression: ExprSyntax) -> Function? {
        guard let name = expression.lastName, !functions(named: name).isEmpty,
            expression.bare.is(DeclReferenceExprSyntax.self)
                || expression.bare.as(MemberAccessExprSyntax.self)?.base?.trimmedDescription
                    == "self"
        else { return nil }
        return function(referredToBy: expression)
    }

    /// The node's own code, and that of every function it reaches.
    func code(reachedFrom node: some SyntaxProtocol) -> [Syntax] {
        [Syntax(node)] + functionsReached(from: node).map { Syntax($0.body) }
    }

    func constants(named name: String) -> [Constant] { constants[name] ?? [] }

    private func collectConstants(of index: SyntaxIndex) {
        for declaration in index.variables where declaration.isConstantOfScope {
            for binding in declaration.bindings {
                guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
                else { continue }
                let value = binding.initializer?.value ?? binding.onlyExpression
                guard let value else { continue }
                constants[name, default: []].append(
                    Constant(typeName: declaration.typeName, value: value))
            }
        }
        for element in index.enumCases {
            guard let value = element.rawValue?.value else { continue }
            constants[element.name.text, default: []].append(
                Constant(typeName: element.typeName, value: value))
        }
    }
}

extension VariableDeclSyntax {
    /// Whether it belongs to a type or a file, and is immutable.
    fileprivate var isConstantOfScope: Bool {
        let isGlobal = parent?.parent?.parent?.is(SourceFileSyntax.self) ?? false
        guard isGlobal || parent?.is(MemberBlockItemSyntax.self) ?? false else { return false }
        return bindingSpecifier.text == "let" || modifiers.contains { $0.name.text == "static" }
            || bindings.contains { $0.accessorBlock != nil }
    }
}

extension PatternBindingSyntax {
    /// `x` of `var a: T { x }`.
    fileprivate var onlyExpression: ExprSyntax? {
        guard case .getter(let items)? = accessorBlock?.accessors, items.count == 1,
            let item = items.first
        else { return nil }
        if case .expr(let expression) = item.item { return expression }
        if case .stmt(let statement) = item.item {
            return statement.as(ReturnStmtSyntax.self)?.expression
        }
        return nil
    }
}
