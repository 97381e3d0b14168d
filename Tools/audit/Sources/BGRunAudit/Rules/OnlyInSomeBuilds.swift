// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum OnlyInSomeBuilds: Rule {
    static let id = "only-in-some-builds"
    static let severity = Severity.warning
    static let sentence = "Tasks are registered, submitted and completed in every build."
    static let why = """
        Code only for the simulator or a debug build is missing elsewhere; the simulator runs no \
        background tasks (Apple: BGTaskScheduler.Error.Code.unavailable).
        """
    static let remedy = "take it out of the #if, or give the other builds the same"

    static func check(_ audit: inout RuleContext) {
        for conditional in audit.program.conditionals {
            let clauses = Array(conditional.clauses)
            guard let first = clauses.first, let condition = first.condition else { continue }
            let words = condition.words
            guard words == "DEBUG" || words == "targetEnvironment(simulator)" else { continue }
            let others = clauses.dropFirst()
            for call in first.all(FunctionCallExprSyntax.self) {
                guard let deed = call.schedulerDeed else { continue }
                let isElsewhere = others.contains { other in
                    other.all(FunctionCallExprSyntax.self).contains { $0.schedulerDeed == deed }
                }
                if isElsewhere { continue }
                audit.report(call, "\(deed) happens only in builds with `\(words)`")
            }
        }
    }
}

extension FunctionCallExprSyntax {
    fileprivate var schedulerDeed: String? {
        if calleeName == "register", argument("forTaskWithIdentifier") != nil { return "register" }
        if calleeName == "setTaskCompleted" { return "setTaskCompleted" }
        return submitsRequest ? "submit" : nil
    }
}
