// SPDX-License-Identifier: Apache-2.0

import BGRunConformance

/// The result of `exercise` for one task.
struct ExerciseResult: Encodable {
    var identifier: String
    var seed: UInt64
    /// The numbers of checkpoints, and of random moments, at which its time was revoked.
    var checkpoints = 0
    var moments = 0
    /// The number of attempts that were told before they had reported.
    var told = 0
    var findings: [Finding] = []
    var notes: [String] = []
    /// The reason why it could not be exercised.
    var problem: String?

    struct Finding: Encodable {
        var rule: String
        var sentence: String
        var moment: String
        var message: String
        var remedy: String
    }

    mutating func take(_ report: Exercise.Report) {
        checkpoints = report.checkpoints
        moments = report.moments
        told = report.told
        notes = report.notes
        findings = report.findings.map {
            Finding(
                rule: $0.rule.rawValue, sentence: $0.rule.sentence, moment: $0.moment,
                message: $0.message, remedy: $0.rule.remedy)
        }
    }

    var isClean: Bool { findings.isEmpty && problem == nil }

    var text: String {
        if let problem { return "\(identifier): not exercised: \(LogText.visible(problem))" }
        let found =
            findings.isEmpty
            ? "nothing found" : findings.count == 1 ? "1 finding" : "\(findings.count) findings"
        var lines = [
            "\(identifier): told \(told) times, at \(checkpoints) checkpoints and \(moments) random "
                + "moments (seed \(seed)): \(found)"
        ]
        for finding in findings {
            lines += [
                "failed   \(finding.rule): \(finding.sentence)",
                "         told \(finding.moment): \(LogText.visible(finding.message))",
                "         \(finding.remedy)",
            ]
        }
        lines += notes.map { "note     \($0)" }
        return lines.joined(separator: "\n")
    }
}
