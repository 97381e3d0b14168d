// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum ScheduledAfterCompletion: Rule {
    static let id = "scheduled-after-completion"
    static let severity = Severity.warning
    static let sentence = "The next request is submitted before the completion."
    static let why = """
        The app may be suspended after the completion, before it submits (Apple: \
        BGTask.setTaskCompleted(success:)).
        """
    static let remedy = "submit the next request first, best at the start of the handler"

    static func check(_ audit: inout RuleContext) {
        for problem in audit.taskProblems {
            guard case .schedulesLate(let completed) = problem.kind else { continue }
            audit.report(
                problem.node, problem.message(in: audit),
                notes: [(completed, "completed here")])
        }
    }
}
