// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// Uses the floor of the manifest's policy if there is one.
enum EarliestUnder15Minutes: Rule {
    static let id = "earliest-under-15-minutes"
    static let severity = Severity.warning
    static let sentence = "An app refresh is requested at least 15 minutes ahead."
    static let why = """
        The system spaces refreshes by 15 minutes and throttles apps that ask more often (Apple: \
        BGTaskRequest.earliestBeginDate; WWDC20-10063).
        """
    static let remedy = "ask for 15 * 60 seconds or more"

    static func check(_ audit: inout RuleContext) {
        let floor = audit.facts.declared?.refreshFloor ?? 900
        for date in BeginDate.all(in: audit.facts)
        where date.kind == .appRefresh && date.seconds < floor {
            let fix = date.delay.map { delay in
                let isDate = delay.words.hasPrefix("Date") || delay.words == ".now"
                return Fix.replacing(
                    delay, with: isDate ? "Date(timeIntervalSinceNow: 15 * 60)" : "15 * 60",
                    "ask for 15 minutes")
            }
            audit.report(
                date.assignment, "asks for a refresh in \(date.seconds.asTime)",
                fix: floor == 900 ? fix : nil)
        }
    }
}

extension Double {
    /// "90 s", "5 min", "8 d"
    var asTime: String {
        let units: [(Double, String)] = [(86_400, "d"), (3600, "h"), (60, "min")]
        for (unit, name) in units where self >= unit && remainder(dividingBy: unit) == 0 {
            return "\(Int(self / unit)) \(name)"
        }
        return self == rounded() && abs(self) < 1e15 ? "\(Int(self)) s" : "\(self) s"
    }
}
