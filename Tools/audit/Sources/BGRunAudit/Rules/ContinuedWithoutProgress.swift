// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum ContinuedWithoutProgress: Rule {
    static let id = "continued-without-progress"
    static let severity = Severity.error
    static let sentence = "A continued task reports its progress."
    static let why = """
        Without progress, the task is expired; under pressure, the least progress goes first \
        (Apple: BGContinuedProcessingTask; WWDC25-227).
        """
    static let remedy = "set task.progress.totalUnitCount, and completedUnitCount as the work goes"

    static func check(_ audit: inout RuleContext) {
        let program = audit.program
        for handler in audit.facts.handlers where handler.kind == .continued {
            let reports = program.code(reachedFrom: handler.node).contains { code in
                code.all(TokenSyntax.self).contains {
                    ["completedUnitCount", "becomeCurrent", "addChild"].contains($0.text)
                }
            }
            guard !reports, !handler.leavesProgram(program) else { continue }
            audit.report(
                handler.worker(in: program).anchor, "this continued task reports no progress")
        }
    }
}
