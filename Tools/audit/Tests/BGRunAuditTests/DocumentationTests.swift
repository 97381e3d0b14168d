// SPDX-License-Identifier: Apache-2.0

import BGRunAudit
import Foundation
import Testing

/// Docs/audit.md shows, for every rule, code that breaks it and code that keeps it.
@Suite(.timeLimit(.minutes(5))) struct DocumentationTests {
    @Test func `Every rule has a section with its sentence, its severity and its reason`() throws {
        let page = try Page()
        #expect(page.sections.map(\.rule) == allRules.map { $0.id })
        for (section, rule) in zip(page.sections, allRules) {
            let words = section.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(words.contains("\(rule.sentence) (\(rule.severity.rawValue))"), "\(rule.id)")
            let why = rule.why.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(words.contains(why), "\(rule.id)")
        }
    }

    @Test(arguments: allRules.map { $0.id })
    func `The bad code of a section breaks its rule only, the good code none`(id: String) throws {
        let section = try #require(try Page().sections.first { $0.rule == id })
        let change = try #require(Page.block("diff", in: section.text))
        let bad = Fixture(path: "bad.swift", text: Page.side("-", of: change))
        let good = Fixture(path: "good.swift", text: Page.side("+", of: change))
        #expect(bad.file.syntaxError == nil && good.file.syntaxError == nil)
        #expect(Set(bad.findings.map { $0.rule.id }) == [id])
        #expect(good.findings.marks == [])
    }

    @Test func `The example of the page prints what the page says`() throws {
        let page = try Page()
        let source = try #require(Page.block("swift audited", in: page.text))
        let shown = try #require(Page.block("text", in: page.text))
        let file = SourceFile(path: "Refresh.swift", text: source)
        let findings = Audit.findings(in: [file])
        let report = TextReport(files: [file])
        let lines =
            ["$ bgrun audit Refresh.swift"] + findings.map(report.text)
            + [TextReport.summary(of: findings, fileCount: 1)]
        #expect(lines.joined(separator: "\n") == shown.trimmingCharacters(in: .newlines))
    }

    @Test func `The manual page has every option and every exit code`() throws {
        let page = try String(
            contentsOf: Fixture.repository.appending(path: "Docs/man/bgrun-audit.1"),
            encoding: .utf8)
        let help = try Tool.run(["--help"]).output
        for option in help.matches(of: /^  (?:-h, )?--([a-z-]+)/.anchorsMatchLineEndings()) {
            #expect(page.contains("Fl -\(option.1)"), "\(option.1)")
        }
        for code in [0, 1, 64, 65, 66, 74] { #expect(page.contains("\n.It \(code)\n"), "\(code)") }
    }
}

private struct Page {
    let text: String
    let sections: [Section]

    struct Section {
        let rule: String
        let text: String
    }

    init() throws {
        text = try String(
            contentsOf: Fixture.repository.appending(path: "Docs/audit.md"), encoding: .utf8)
        let rules =
            text.components(separatedBy: "\n## Rules\n").dropFirst().joined()
            .components(separatedBy: "\n## ").first ?? ""
        sections = rules.components(separatedBy: "\n### ").dropFirst().map { part in
            Section(rule: String(part.prefix { $0 != "\n" }), text: part)
        }
    }

    static func block(_ language: String, in text: String) -> String? {
        let parts = text.components(separatedBy: "```\(language)\n")
        guard parts.count > 1 else { return nil }
        return parts[1].components(separatedBy: "```").first
    }

    /// The code before ("-") or after ("+") a change.
    static func side(_ mark: Character, of change: String) -> String {
        change.components(separatedBy: "\n").filter { $0.first == " " || $0.first == mark }
            .map { $0.dropFirst() }.joined(separator: "\n")
    }
}
