// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum KindMismatch: Rule {
    static let id = "kind-mismatch"
    static let severity = Severity.error
    static let sentence = "A handler expects the kind of task that is requested."
    static let why = """
        The task has the request's kind; a forced cast to another one ends the app (Apple: \
        BGTaskScheduler.register).
        """
    static let remedy = "use the request of the same kind"

    static func check(_ audit: inout RuleContext) {
        var expected: [(identifier: String, kind: TaskKind, place: ExprSyntax)] = []
        for handler in audit.facts.handlers {
            guard let registration = handler.registration, let kind = handler.kind,
                let identifier = registration.identifier?.text
            else { continue }
            expected.append((identifier, kind, registration.identifierExpression))
        }
        for task in audit.facts.sceneTasks {
            guard let kind = task.kind, let place = task.identifierExpression,
                let identifier = task.identifier?.text
            else { continue }
            expected.append((identifier, kind, place))
        }
        for (identifier, kind, place) in expected {
            for request in audit.facts.requests where request.identifier?.text == identifier {
                guard request.kind != kind,
                    !(request.kind == .healthResearch && kind == .processing)
                else { continue }
                audit.report(
                    request.call,
                    "a \(request.kind.requestName) for \"\(identifier)\", whose handler "
                        + "expects a \(kind.className)",
                    notes: [(Syntax(place), "its handler is registered here")])
            }
        }
    }
}
