// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Checks the rules of Apple's platforms in Docs/apple-rules.md. `Scripts/check-rules` checks its table.
@Suite("Docs/apple-rules.md", .timeLimit(.minutes(10)))
struct AppleRulesTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The words of a section, on one line.
    private static func section(_ title: String) throws -> String {
        let page = try text("Docs/apple-rules.md")
        let after = try #require(page.components(separatedBy: "\n## \(title)\n").dropFirst().first)
        let section = after.components(separatedBy: "\n## ")[0]
        return section.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// The cells of a section's table, without its head.
    private static func rows(_ title: String) throws -> [[String]] {
        let page = try text("Docs/apple-rules.md")
        let after = try #require(page.components(separatedBy: "\n## \(title)\n").dropFirst().first)
        return after.components(separatedBy: "\n## ")[0].split(separator: "\n")
            .filter { $0.hasPrefix("| ") }.dropFirst()
            .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    }

    private static func quoted(_ text: String) -> [String] {
        text.components(separatedBy: "`").enumerated().filter { !$0.offset.isMultiple(of: 2) }
            .map(\.element)
    }

    @Test("the names Xcode gives the background modes are mapped")
    func modes() throws {
        let rows = try Self.rows("Xcode's names of the modes")
        let mapped = rows.reduce(into: [String: String]()) { $0[$1[0]] = $1[1] }
        #expect(mapped["Background fetch"] == "`fetch`")
        #expect(mapped["Background processing"] == "`processing`")
        #expect(mapped["Remote notifications"] == "`remote-notification`")
        let section = try Self.section("Xcode's names of the modes")
        #expect(section.contains("Signing & Capabilities, Background Modes"))
    }

    @Test("the page states what Apple does not promise")
    func promises() throws {
        let section = try Self.section("What Apple does not promise")
        #expect(section.contains("Background time is a privilege, not a right"))
        #expect(section.contains("the system decides when it comes, or whether it comes at all"))
        #expect(section.contains("guarantees five minutes at full speed"))
    }

    @Test("the versions of iOS and Xcode are named")
    func versions() throws {
        let section = try Self.section("What Apple's platforms need")
        for version in ["iOS 13", "iOS 26", "iPadOS 26", "Xcode 15"] {
            #expect(section.contains(version))
        }
    }

    @Test("the page states that assertions are for saving state")
    func assertions() throws {
        let section = try Self.section("Assertions")
        #expect(section.contains("`beginBackgroundTask` is for saving state"))
        #expect(section.contains("not ongoing work"))
        #expect(section.contains("counts as a missed completion"))
    }

    @Test("every item of the checklists has a check")
    func checklists() throws {
        let rows = try Self.rows("The checklists")
        let counts = Dictionary(grouping: rows) { $0[0] }.mapValues(\.count)
        #expect(
            counts == [
                "Review": 15, "Registration": 5, "Scheduling": 4, "Handler": 5, "Production": 5,
                "Testing": 6,
            ])
        let folder = "Tools/audit/Sources/BGRunAudit/Rules"
        let files = try FileManager.default.contentsOfDirectory(
            atPath: Self.root.appendingPathComponent(folder).path)
        var checks = try files.filter { $0.hasSuffix(".swift") }.flatMap { file in
            try Self.text("\(folder)/\(file)").matches(of: /static let id = "([a-z0-9-]+)"/)
                .map { String($0.1) }
        }
        let items = try Self.text("Sources/CLI/Verify/VerifyItem.swift")
        let head = try #require(items.components(separatedBy: "var sentence").first)
        checks += head.matches(of: /case (\w+)(?: = "([a-z-]+)")?/).map { String($0.2 ?? $0.1) }
        for row in rows {
            #expect(row.count == 3 && !row[2].isEmpty, "\(row)")
            for check in Self.quoted(row[2]) where !check.hasPrefix("bgrun ") {
                #expect(checks.contains(check), "\(check)")
            }
        }
    }

    @Test("the six questions lead to commands and pages that exist")
    func questions() throws {
        let rows = try Self.rows("Six questions")
        #expect(rows.count == 6)
        let manual = try Self.text("Docs/man/bgrun.1")
        for row in rows {
            #expect(row[0].hasSuffix("?"))
            for command in Self.quoted(row[1]) {
                let name = command.replacingOccurrences(of: "bgrun ", with: "")
                #expect(manual.contains("\n.It Cm \(name)\n"), "\(command)")
            }
            let page = try #require(row[2].firstMatch(of: /\]\(([a-z-]+\.md)\)/)?.1)
            #expect(!(try Self.text("Docs/\(page)")).isEmpty)
        }
    }

    @Test("the reading list names Apple's talks and pages")
    func readingList() throws {
        let section = try Self.section("Reading list")
        for (year, session) in [
            (2019, 707), (2020, 10063), (2022, 10142), (2023, 10170), (2025, 227),
        ] {
            #expect(section.contains("WWDC \(year) session \(session)"))
        }
        for page in [
            "BGTaskScheduler", "BGAppRefreshTask", "BGProcessingTask", "BGContinuedProcessingTask",
            "BGContinuedProcessingTaskRequest", "Using background tasks to update your app",
            "Performing long-running tasks on iOS and iPadOS",
            "Starting and terminating tasks during development",
        ] {
            #expect(
                section.contains("[\(page)](https://developer.apple.com/documentation/"), "\(page)")
        }
    }
}
