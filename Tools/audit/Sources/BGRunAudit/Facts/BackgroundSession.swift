// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// `URLSession(configuration:)` with a background configuration.
struct BackgroundSession {
    let call: FunctionCallExprSyntax
    /// The variable it is assigned to.
    let variable: String?

    static func all(in program: Program) -> [BackgroundSession] {
        program.calls(named: "URLSession").compactMap { call in
            guard let configuration = call.argument("configuration"),
                program.isBackgroundConfiguration(configuration)
            else { return nil }
            return BackgroundSession(call: call, variable: call.variableName)
        }
    }
}

extension Program {
    fileprivate func isBackgroundConfiguration(_ expression: ExprSyntax) -> Bool {
        let made = definition(of: expression)
        if made.as(FunctionCallExprSyntax.self)?.argument("withIdentifier") != nil { return true }
        return false
    }
}

extension FunctionCallExprSyntax {
    /// `x` of `let x = f()`, of `lazy var x = { ... return f() }()`, and of `x = f()`.
    fileprivate var variableName: String? {
        if let pair = parent?.as(InfixOperatorExprSyntax.self) { return pair.leftOperand.lastName }
        return enclosing(PatternBindingSyntax.self)?
            .pattern.as(IdentifierPatternSyntax.self)?.identifier.text
    }
}
