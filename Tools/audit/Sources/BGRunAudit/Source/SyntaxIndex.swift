// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// The nodes of a file that rules use, collected in one walk, in the order of the source.
final class SyntaxIndex: SyntaxVisitor {
    private(set) var calls: [FunctionCallExprSyntax] = []
    private(set) var assignments: [InfixOperatorExprSyntax] = []
    private(set) var functions: [Function] = []
    private(set) var variables: [VariableDeclSyntax] = []
    private(set) var enumCases: [EnumCaseElementSyntax] = []
    private(set) var members: [MemberAccessExprSyntax] = []
    private(set) var conditionals: [IfConfigDeclSyntax] = []

    init(_ file: SourceFile) {
        super.init(viewMode: .sourceAccurate)
        walk(file.tree)
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        calls.append(node)
        return .visitChildren
    }

    override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        if node.operator.is(AssignmentExprSyntax.self) { assignments.append(node) }
        return .visitChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        if let function = Function(Syntax(node)) { functions.append(function) }
        return .visitChildren
    }

    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
        if let function = Function(Syntax(node)) { functions.append(function) }
        return .visitChildren
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        variables.append(node)
        return .visitChildren
    }

    override func visit(_ node: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind {
        enumCases.append(node)
        return .visitChildren
    }

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        members.append(node)
        return .visitChildren
    }

    override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind {
        conditionals.append(node)
        return .visitChildren
    }
}
