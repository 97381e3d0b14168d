// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum ReliesOnTime: Rule {
    static let id = "relies-on-time"
    static let severity = Severity.warning
    static let sentence = "A handler does not count on a certain time."
    static let why = """
        An app refresh has about 30 seconds, any task may expire earlier, and timers stop while \
        the app is suspended (Apple: BGTask.expirationHandler; WWDC20-10063).
        """
    static let remedy = "do the work at once, in small pieces, and stop in the expiration handler"

    static func check(_ audit: inout RuleContext) {
        var seen: Set<SyntaxIdentifier> = []
        for handler in audit.facts.handlers where handler.kind != .continued {
            for code in audit.program.code(reachedFrom: handler.node) {
                for call in code.all(FunctionCallExprSyntax.self) {
                    guard let what = audit.program.wait(in: call),
                        seen.insert(call.id).inserted
                    else { continue }
                    audit.report(call, "\(what) in a background task")
                }
            }
        }
    }
}

extension Program {
    /// The wait in a call, from 5 seconds on, and any timer.
    fileprivate func wait(in call: FunctionCallExprSyntax) -> String? {
        switch call.calleeName {
        case "scheduledTimer", "scheduleRepeating": return "a timer"
        case "Timer" where call.argument("timeInterval") != nil: return "a timer"
        case "asyncAfter":
            let deadline = call.argument("deadline") ?? call.argument("wallDeadline")
            guard let sum = deadline?.bare.as(InfixOperatorExprSyntax.self),
                let seconds = number(of: sum.rightOperand), seconds >= 5
            else { return nil }
            return "a delay of \(seconds.asTime)"
        case "sleep" where call.receiver?.trimmedDescription == "Task":
            let duration = call.argument("for") ?? call.argument("nanoseconds")
            guard let duration, let number = number(of: duration) else { return nil }
            let seconds = call.argument("for") == nil ? number / 1e9 : number
            return seconds >= 5 ? "a sleep of \(seconds.asTime)" : nil
        default: return nil
        }
    }
}
