// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum AssertionNotEnded: Rule {
    static let id = "assertion-not-ended"
    static let severity = Severity.error
    static let sentence = "beginBackgroundTask is ended when the work is, not only at expiration."
    static let why = """
        An app that does not end it is killed; waiting for the expiration wastes time (Apple: \
        UIApplication.beginBackgroundTask).
        """
    static let remedy = "call endBackgroundTask as soon as the work is done, too"

    static func check(_ audit: inout RuleContext) {
        for call in audit.program.calls(named: "beginBackgroundTask") {
            // The caller of a wrapper with the same name ends it.
            let outer = call.enclosing(FunctionDeclSyntax.self)
            if outer?.name.text == "beginBackgroundTask" { continue }
            let scope = call.outermostType ?? call.root
            let ends = scope.all(FunctionCallExprSyntax.self).filter {
                $0.calleeName == "endBackgroundTask"
            }
            if ends.isEmpty {
                audit.report(call, "nothing here calls endBackgroundTask")
            } else if ends.allSatisfy(call.contains),
                !audit.callsBack(from: call, in: scope)
            {
                audit.report(call, "endBackgroundTask is called only when the time is over")
            }
        }
    }
}

extension FunctionCallExprSyntax {
    fileprivate var outermostType: Syntax? {
        var node = parent
        var found: Syntax?
        while let current = node {
            if current.declaredTypeName != nil { found = current }
            node = current.parent
        }
        return found
    }
}

extension RuleContext {
    /// Whether the expiration handler, and other code, calls a function that ends it.
    fileprivate func callsBack(from call: FunctionCallExprSyntax, in scope: Syntax) -> Bool {
        let called = Set(
            call.all(FunctionCallExprSyntax.self).dropFirst().compactMap { inner in
                program.function(calledBy: inner)?.node.id
            })
        return scope.all(FunctionCallExprSyntax.self).contains { other in
            !call.contains(other)
                && (program.function(calledBy: other).map { called.contains($0.node.id) } ?? false)
        }
    }
}
