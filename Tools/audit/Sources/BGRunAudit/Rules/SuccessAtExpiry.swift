// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum SuccessAtExpiry: Rule {
    static let id = "success-at-expiry"
    static let severity = Severity.warning
    static let sentence = "A task that has expired is not reported as a success."
    static let why = """
        The system may submit an unsuccessful task again; what was reported as done is not done \
        again (Apple: BGTask.setTaskCompleted(success:)).
        """
    static let remedy = "pass false"

    static func check(_ audit: inout RuleContext) {
        for assignment in audit.program.assignments
        where assignment.setsExpirationHandler {
            for call in assignment.rightOperand.all(FunctionCallExprSyntax.self)
            where call.calleeName == "setTaskCompleted" {
                guard let value = call.argument("success"), value.trimmedDescription == "true"
                else { continue }
                audit.report(
                    call, "reports success when the time is over",
                    fix: Fix.replacing(value, with: "false", "report a failure"))
            }
        }
    }
}
