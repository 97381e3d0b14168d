// SPDX-License-Identifier: Apache-2.0

import BGRunAudit
import Testing

@Suite(.timeLimit(.minutes(5))) struct FixTests {
    @Test(arguments: Fixture.all("planted"))
    func `A fix leaves Swift without its finding, and adds no other`(fixture: Fixture) {
        for finding in fixture.findings where finding.fix != nil {
            let (text, count) = Fixer.fixed(fixture.text, by: [finding])
            #expect(count == 1)
            let fixed = Fixture(path: fixture.path, text: text)
            #expect(fixed.file.syntaxError == nil, "\(finding.rule.id)")
            let before = Self.counts(fixture.findings)
            let after = Self.counts(fixed.findings)
            #expect((after[finding.rule.id] ?? 0) < (before[finding.rule.id] ?? 0))
            for (rule, number) in after {
                #expect(number <= before[rule] ?? 0, "\(finding.rule.id) brings \(rule)")
            }
        }
    }

    @Test(arguments: Fixture.all("planted"))
    func `Fixing all until nothing is left to fix ends, and does so once`(fixture: Fixture) {
        var fixed = fixture
        var rounds = 0
        while case let result = Fixer.fixed(fixed.text, by: fixed.findings), result.count > 0 {
            fixed = Fixture(path: fixture.path, text: result.text)
            rounds += 1
            guard rounds < 8 else { break }
        }
        #expect(rounds < 8)
        #expect(fixed.file.syntaxError == nil)
        #expect(fixed.findings.allSatisfy { $0.fix == nil })
    }

    @Test(arguments: [
        (
            "return in a guard", "guard ok else { return }",
            "guard ok else { task.setTaskCompleted(success: false); return }"
        ),
        (
            "return on its line", "if ok {\n        return\n    }",
            "if ok {\n        task.setTaskCompleted(success: false)\n        return\n    }"
        ),
    ])
    func `A return is preceded by a completion`(name: String, before: String, after: String) {
        let source = { (body: String) in
            """
            func clean(_ task: BGProcessingTask) {
                task.expirationHandler = { stop() }
                \(body)
                task.setTaskCompleted(success: true)
            }
            """
        }
        let fixture = Fixture(path: "a.swift", text: source(before))
        #expect(fixture.findings.map { $0.rule.id } == ["completion-on-every-path"])
        #expect(Fixer.fixed(fixture.text, by: fixture.findings).text == source(after))
    }

    @Test(arguments: [
        ("a flag of the function", "if expired { break }", "!expired"),
        ("a flag that allows", "guard !expired else { break }", "!expired"),
        ("a flag of the turn", "let cancelled = expired; if cancelled { break }", nil),
        ("two flags", "if expired || Task.isCancelled { break }", nil),
    ])
    func `A success after a loop becomes the flag, where that can be read`(
        name: String, exit: String, value: String?
    ) {
        let fixture = Fixture(
            path: "a.swift",
            text: """
                func clean(_ task: BGProcessingTask) {
                    var expired = false
                    task.expirationHandler = { expired = true }
                    for album in albums {
                        \(exit)
                        album.clean()
                    }
                    task.setTaskCompleted(success: true)
                }
                """)
        #expect(fixture.findings.map { $0.rule.id } == ["success-at-expiry"])
        #expect(fixture.findings.first?.fix?.edits.first?.text == value)
    }

    @Test func `Of fixes that overlap, the first is made`() {
        let file = Fixture(
            path: "a.swift",
            text: """
                func schedule() {
                    let request = BGAppRefreshTaskRequest(identifier: "a")
                    request.earliestBeginDate = Date(timeIntervalSinceNow: 1)
                }
                """)
        let finding = file.findings[0]
        #expect(Fixer.fixed(file.text, by: [finding, finding]).count == 1)
    }

    private static func counts(_ findings: [Finding]) -> [String: Int] {
        Dictionary(grouping: findings) { $0.rule.id }.mapValues(\.count)
    }
}
