// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum EarliestBeyondAWeek: Rule {
    static let id = "earliest-beyond-a-week"
    static let severity = Severity.warning
    static let sentence = "A request is at most a week ahead."
    static let why = """
        If the user does not return to the app meanwhile, it is not launched (Apple: \
        BGTaskRequest.earliestBeginDate).
        """
    static let remedy = "ask for a date within 7 days, and submit again when the app is used"

    static func check(_ audit: inout RuleContext) {
        for date in BeginDate.all(in: audit.facts) where date.seconds > 7 * 86_400 {
            audit.report(
                date.assignment, "asks for a date in \(date.seconds.asTime)",
                fix: date.delay.map {
                    Fix.replacing($0, with: "7 * 24 * 60 * 60", "ask for 7 days")
                })
        }
    }
}
