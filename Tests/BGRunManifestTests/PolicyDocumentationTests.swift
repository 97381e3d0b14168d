// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Foundation
import Testing

@testable import BGRunManifest

@Suite("Agreement of Docs/policy.md and the policy", .timeLimit(.minutes(10)))
struct PolicyDocumentationTests {
    @Test("every refusal is listed with its code", arguments: refusals)
    func refusal(_ name: String, _ refusal: Refusal) {
        let row = Self.rows(of: "Refusal").first { $0[0] == "`\(name)`" }
        #expect(row?[1] == "\(refusal.code)")
    }

    @Test("every outcome is listed", arguments: outcomes)
    func outcome(_ outcome: Outcome) {
        #expect(Self.rows(of: "Outcome").contains { $0[0] == "`\(outcome.name)`" })
    }

    @Test("every reason is listed with its number and effect", arguments: StopReason.allCases)
    func reason(_ reason: StopReason) {
        let declaration = TaskDeclaration(identifier: "a", kind: .processing, retry: RetryRule())
        let now = WallTime(milliseconds: 0)
        let effect =
            switch declaration.aftermath(
                of: .expired(reason, reported: nil), failures: 0, launched: now, now: now)
            {
            case .retry: "a failure"
            case .requeue: "pending again"
            case .gaveUp: "given up; `every` continues"
            case .done: "done"
            }
        let row = Self.rows(of: "Reason").first { $0[0] == "`\(reason.name)`" }
        #expect(row == ["`\(reason.name)`", "\(reason.rawValue)", effect])
    }

    @Test("the factors of every kind are listed", arguments: Factor.allCases)
    func factor(_ factor: Factor) {
        let row = Self.rows(of: "Factor").first { $0[0] == "`\(factor.name)`" }
        let marks = TaskKind.allCases.map { $0.factors.contains(factor) ? "yes" : "-" }
        #expect(row.map { Array($0.dropFirst().prefix(5)) } == marks)
    }

    @Test("every overlap is listed", arguments: Overlap.allCases)
    func overlap(_ overlap: Overlap) {
        #expect(Self.rows(of: "`overlap`").contains { $0[0] == "`\(overlap.rawValue)`" })
    }

    private static let refusals: [(String, Refusal)] = [
        ("unavailable", .unavailable),
        ("busy", .busy),
        ("notPermitted", .notPermitted(identifier: "a", nearest: nil)),
        ("noHandler", .noHandler(identifier: "a", nearest: nil)),
        ("modeMissing", .modeMissing(identifier: "a", kind: .push, mode: .fetch)),
        ("alreadyRunning", .alreadyRunning(identifier: "a", attempt: 1)),
        ("tooManyPending", .tooManyPending(kind: .push, limit: 1)),
        ("notImmediately", .notImmediately(identifier: "a", reason: "")),
        ("postponed", .postponed(identifier: "a", reason: "")),
    ]

    private static let outcomes: [Outcome] = [
        .completed, .failed, .expired(.time, reported: nil), .crashed(signal: 1),
        .limited(.memory), .exited(code: 1), .refused, .interrupted,
    ]

    private static let lines: [String] = {
        let root = Case.directory.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try? String(
            contentsOf: root.appending(path: "Docs/policy.md"), encoding: .utf8)
        return (text ?? "").components(separatedBy: "\n")
    }()

    /// The cells of the table whose first column has the heading `heading`, without heading and separator.
    private static func rows(of heading: String) -> [[String]] {
        guard let start = lines.firstIndex(where: { $0.hasPrefix("| \(heading) |") }) else {
            return []
        }
        return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            line.dropFirst(2).dropLast(2).components(separatedBy: " | ")
        }
    }
}
