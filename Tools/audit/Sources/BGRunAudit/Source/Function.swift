// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// A function or an initializer with a body.
struct Function {
    let node: Syntax
    let name: String
    /// The type it belongs to; nil at the top level of a file.
    let typeName: String?
    let parameters: [Parameter]
    let body: CodeBlockSyntax
    let throwsErrors: Bool
    /// The place of a finding about the whole function.
    let nameToken: TokenSyntax

    struct Parameter {
        /// nil for `_`.
        var label: String?
        var name: String
        var type: String
    }

    init?(_ node: Syntax) {
        if let function = node.as(FunctionDeclSyntax.self), let body = function.body {
            name = function.name.text
            nameToken = function.name
            self.body = body
            parameters = Self.parameters(of: function.signature)
            throwsErrors = function.signature.effectSpecifiers?.throwsClause != nil
        } else if let initializer = node.as(InitializerDeclSyntax.self),
            let body = initializer.body
        {
            name = "init"
            nameToken = initializer.initKeyword
            self.body = body
            parameters = Self.parameters(of: initializer.signature)
            throwsErrors = initializer.signature.effectSpecifiers?.throwsClause != nil
        } else {
            return nil
        }
        self.node = node
        typeName = node.typeName
    }

    /// `handle(task:)`
    var title: String {
        name + "(" + parameters.map { ($0.label ?? "_") + ":" }.joined() + ")"
    }

    /// The parameter of an argument.
    func parameter(for input: CallInput, at position: Int) -> Parameter? {
        if let label = input.label { return parameters.first { $0.label == label } }
        if input.trails { return parameters.last { $0.type.contains("->") } }
        return position < parameters.count ? parameters[position] : nil
    }

    /// Whether a call may refer to this function, by its labels; defaults may be omitted.
    func takes(_ call: FunctionCallExprSyntax) -> Bool {
        var rest = parameters[...]
        for argument in call.arguments {
            let label = argument.label?.text
            guard let index = rest.firstIndex(where: { $0.label == label }) else { return false }
            rest = rest[(index + 1)...]
        }
        return true
    }

    private static func parameters(of signature: FunctionSignatureSyntax) -> [Parameter] {
        signature.parameterClause.parameters.map { parameter in
            let label = parameter.firstName.text
            return Parameter(
                label: label == "_" ? nil : label,
                name: (parameter.secondName ?? parameter.firstName).text,
                type: parameter.type.trimmedDescription)
        }
    }
}
