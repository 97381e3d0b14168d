// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum CompletedTwice: Rule {
    static let id = "completed-twice"
    static let severity = Severity.warning
    static let sentence = "No path completes a task twice."
    static let why = """
        The first completion counts, and the app may be suspended after it (Apple: \
        BGTask.setTaskCompleted(success:)).
        """
    static let remedy = "keep the one that comes when the work is over"

    static func check(_ audit: inout RuleContext) {
        for problem in audit.taskProblems + audit.callbackProblems {
            guard case .twice(let first) = problem.kind else { continue }
            audit.report(
                problem.node, problem.message(in: audit), notes: [(first, "completed here first")])
        }
    }
}
