// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// Needs a manifest or an Info.plist.
enum IdentifierNotListed: Rule {
    static let id = "identifier-not-listed"
    static let severity = Severity.error
    static let sentence = "Every identifier in the code is in the manifest."
    static let why = """
        For an unlisted identifier, register returns false and submit throws notPermitted; case \
        matters (Apple: BGTaskSchedulerPermittedIdentifiers; BGTaskScheduler.h).
        """
    static let remedy = "list it under permitted_identifiers (BGTaskSchedulerPermittedIdentifiers)"

    static func check(_ audit: inout RuleContext) {
        guard let declared = audit.facts.declared else { return }
        let facts = audit.facts
        let uses: [(ExprSyntax, StatedText?)] =
            facts.registrations.map { ($0.identifierExpression, $0.identifier) }
            + facts.requests.map { ($0.identifierExpression, $0.identifier) }
            + facts.sceneTasks.compactMap { task in
                task.identifierExpression.map { ($0, task.identifier) }
            }
        for (expression, stated) in uses {
            guard let stated, !declared.lists(stated.text) else { continue }
            let near = declared.nearest(to: stated.text)
            let hint = near.map { "; it lists \"\($0)\"" } ?? ""
            let fix = near.flatMap { near in
                stated.literal.map { Fix.replacing($0, with: "\"\(near)\"", "write \(near)") }
            }
            audit.report(
                expression, "\"\(stated.text)\" is not in \(declared.source)\(hint)",
                // A fix cannot edit a literal in another file.
                fix: stated.literal?.root.id == expression.root.id ? fix : nil)
        }
    }
}
