// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum NotRescheduled: Rule {
    static let id = "not-rescheduled"
    static let severity = Severity.warning
    static let sentence = "An app-refresh handler submits the next request."
    static let why = """
        Without the next request, refreshes end until the app is opened (Apple: Using background \
        tasks to update your app; WWDC19-707).
        """
    static let remedy = "submit the next request at the start of the handler"

    static func check(_ audit: inout RuleContext) {
        for handler in audit.facts.handlers where handler.kind == .appRefresh {
            guard !audit.facts.schedules(handler.node), !handler.leavesProgram(audit.program)
            else { continue }
            audit.report(
                handler.worker(in: audit.program).anchor,
                "this app-refresh handler submits no next request")
        }
    }
}
