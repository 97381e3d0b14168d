// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum NoSuchStrategy: Rule {
    static let id = "no-such-strategy"
    static let severity = Severity.error
    static let sentence = "The strategy of a continued task is .queue or .fail."
    static let why = """
        `.enqueue` does not exist: .queue, the default, waits for a slot, .fail refuses (Apple: \
        BGContinuedProcessingTaskRequest.SubmissionStrategy).
        """
    static let remedy = "write .queue"

    static func check(_ audit: inout RuleContext) {
        for member in audit.program.members
        where ["enqueue", "enqueued", "queued"].contains(member.declName.baseName.text) {
            guard member.isStrategy else { continue }
            audit.report(
                member, "unknown strategy `.\(member.declName.baseName.text)`",
                fix: Fix.replacing(member.declName, with: "queue", "write .queue"))
        }
    }
}

extension MemberAccessExprSyntax {
    /// Whether it is the value of something named strategy.
    fileprivate var isStrategy: Bool {
        if let base { return base.trimmedDescription.hasSuffix("Strategy") }
        if let pair = parent?.as(InfixOperatorExprSyntax.self) {
            return pair.leftOperand.lastName == "strategy"
        }
        return parent?.as(LabeledExprSyntax.self)?.label?.text == "strategy"
    }
}
