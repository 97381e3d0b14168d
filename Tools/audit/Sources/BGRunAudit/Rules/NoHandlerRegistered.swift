// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// Reports only if every registration of the program is understood.
enum NoHandlerRegistered: Rule {
    static let id = "no-handler-registered"
    static let severity = Severity.error
    static let sentence = "Each submitted identifier has a handler."
    static let why = """
        submit raises NSInternalInconsistencyException, "No launch handler registered for task \
        with identifier ..." (Apple developer forums, thread 799126).
        """
    static let remedy = "register a handler for it at launch"

    static func check(_ audit: inout RuleContext) {
        let facts = audit.facts
        let isUnderstood =
            facts.registrations.allSatisfy { $0.identifier != nil }
            && facts.sceneTasks.allSatisfy { $0.kind == nil || $0.identifier != nil }
        let handled = Set(
            facts.registrations.compactMap(\.identifier?.text)
                + facts.sceneTasks.compactMap(\.identifier?.text))
        guard isUnderstood, !handled.isEmpty, !facts.submissions.isEmpty else { return }
        for request in facts.requests {
            guard let identifier = request.identifier?.text, !handled.contains(identifier)
            else { continue }
            // A continued task's handler may be registered under its wildcard.
            let isMatched = handled.contains {
                $0.hasSuffix(".*") && identifier.hasPrefix($0.dropLast())
            }
            if isMatched { continue }
            audit.report(request.call, "\"\(identifier)\" has no handler in these files")
        }
    }
}
