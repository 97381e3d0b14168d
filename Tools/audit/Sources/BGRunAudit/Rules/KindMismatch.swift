// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum KindMismatch: Rule {
    static let id = "kind-mismatch"
    static let severity = Severity.error
    static let sentence = "A handler expects the kind of task that its requests ask for."
    static let why = """
        The system launches the handler with a task of the request's kind: the forced cast to \
        another one ends the app (Apple: BGTaskScheduler.register).
        """
    static let remedy = "use the request of the same kind"

    static func check(_ audit: inout RuleContext) {
        for handler in audit.facts.handlers {
            let place = handler.registration?.identifierExpression
            let identifier = handler.registration?.identifier?.text
            guard let expected = handler.kind, let identifier, let place else { continue }
            for request in audit.facts.requests where request.identifier?.text == identifier {
                guard request.kind != expected,
                    !(request.kind == .healthResearch && expected == .processing)
                else { continue }
                audit.report(
                    request.call,
                    "a \(request.kind.requestName) for \"\(identifier)\", whose handler "
                        + "expects a \(expected.className)",
                    notes: [(Syntax(place), "its handler is registered here")])
            }
        }
    }
}
