// SPDX-License-Identifier: Apache-2.0

import BGRunConformance
import BGRunManifest

/// The result of `exercise` for one task.
struct ExerciseResult {
    var identifier: String
    var seed: UInt64
    var report: Exercise.Report?
    /// The reason why it could not be exercised.
    var problem: String?

    var isClean: Bool { problem == nil && findings.isEmpty }

    private var findings: [Exercise.Finding] { report?.findings ?? [] }

    var json: JSONValue {
        .members([
            "identifier": .string(identifier), "seed": .unsigned(seed),
            // The numbers of checkpoints, and of random moments, at which its time was revoked.
            "checkpoints": .count(report?.checkpoints ?? 0),
            "moments": .count(report?.moments ?? 0),
            // The number of attempts that were told before they had reported.
            "told": .count(report?.told ?? 0), "findings": .array(findings.map(\.json)),
            "notes": .strings(report?.notes ?? []), "problem": problem.map(JSONValue.string),
        ])
    }

    var text: String {
        guard let report else {
            return "\(identifier): not exercised: \(LogText.visible(problem ?? ""))"
        }
        let found =
            findings.isEmpty
            ? "nothing found" : findings.count == 1 ? "1 finding" : "\(findings.count) findings"
        var lines = [
            "\(identifier): told \(report.told) times, at \(report.checkpoints) checkpoints and "
                + "\(report.moments) random moments (seed \(seed)): \(found)"
        ]
        for finding in findings {
            lines += [
                "failed   \(finding.rule.rawValue): \(finding.rule.sentence)",
                "         told \(finding.moment): \(LogText.visible(finding.message))",
                "         \(finding.rule.remedy)",
            ]
        }
        lines += report.notes.map { "note     \($0)" }
        return lines.joined(separator: "\n")
    }
}

extension Exercise.Finding {
    fileprivate var json: JSONValue {
        .members([
            "rule": .string(rule.rawValue), "sentence": .string(rule.sentence),
            "moment": .string(moment), "message": .string(message), "remedy": .string(rule.remedy),
        ])
    }
}
