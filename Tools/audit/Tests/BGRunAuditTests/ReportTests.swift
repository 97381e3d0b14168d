// SPDX-License-Identifier: Apache-2.0

import BGRunAudit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct ReportTests {
    private static let fixture = Fixture(
        path: "App/Ünit 1.swift",
        text: """
            func schedule() {
            \tlet request = BGAppRefreshTaskRequest(identifier: "👩‍🔬"); request.earliestBeginDate = .now + 60
            }
            """)

    @Test func `Text has the place in characters, and the caret below its character`() throws {
        let fixture = Self.fixture
        let text = TextReport(files: [fixture.file]).text(of: fixture.findings[0])
        #expect(
            text == """
                App/Ünit 1.swift:2:58: warning: asks for a refresh in 1 min \
                [earliest-under-15-minutes]
                  \tlet request = BGAppRefreshTaskRequest(identifier: "👩‍🔬"); \
                request.earliestBeginDate = .now + 60
                  \t                                                        ^
                  help: ask for 15 * 60 seconds or more (--fix: ask for 15 minutes)
                """)
    }

    @Test func `JSON has every finding with its edits`() throws {
        let findings = Self.fixture.findings
        let parsed = try JSONSerialization.jsonObject(
            with: Data(JSONReport.text(of: findings).utf8))
        let entries = try #require(parsed as? [[String: Any]])
        #expect(entries.count == 1)
        #expect(entries[0]["rule"] as? String == "earliest-under-15-minutes")
        #expect(entries[0]["column"] as? Int == 58)
        let fix = try #require(entries[0]["fix"] as? [String: Any])
        let edits = try #require(fix["edits"] as? [[String: Any]])
        #expect(edits[0]["text"] as? String == "15 * 60")
    }

    @Test func `SARIF names each rule, and each result points into the list and into a file`()
        throws
    {
        let files = Fixture.all("planted")
        let findings = files.flatMap(\.findings)
        let report = SARIFReport(files: files.map(\.file), version: "1.2.3")
        let parsed = try JSONSerialization.jsonObject(with: Data(report.text(of: findings).utf8))
        let log = try #require(parsed as? [String: Any])
        #expect(log["version"] as? String == "2.1.0")
        #expect((log["$schema"] as? String)?.hasSuffix("sarif-2.1.0.json") == true)
        let run = try #require((log["runs"] as? [[String: Any]])?.first)
        let driver = try #require((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
        let rules = try #require(driver["rules"] as? [[String: Any]])
        #expect(rules.compactMap { $0["id"] as? String } == allRules.map { $0.id })
        let results = try #require(run["results"] as? [[String: Any]])
        #expect(results.count == findings.count)
        for result in results {
            let index = try #require(result["ruleIndex"] as? Int)
            #expect(rules[index]["id"] as? String == result["ruleId"] as? String)
            #expect(["error", "warning"].contains(result["level"] as? String))
            let location = try #require((result["locations"] as? [[String: Any]])?.first)
            let place = try #require(location["physicalLocation"] as? [String: Any])
            let region = try #require(place["region"] as? [String: Int])
            #expect((region["startLine"] ?? 0) >= 1 && (region["startColumn"] ?? 0) >= 1)
            for fix in result["fixes"] as? [[String: Any]] ?? [] {
                let changes = try #require(fix["artifactChanges"] as? [[String: Any]])
                #expect(changes.allSatisfy { $0["replacements"] is [[String: Any]] })
            }
        }
        #expect(results.contains { $0["fixes"] != nil })
        #expect(results.contains { !(($0["relatedLocations"] as? [Any]) ?? []).isEmpty })
    }

    @Test func `SARIF counts columns in code points and encodes paths`() throws {
        let fixture = Self.fixture
        let text = try SARIFReport(files: [fixture.file], version: "1").text(of: fixture.findings)
        // The scientist emoji is one character with three code points.
        #expect(text.contains("\"startColumn\" : 60"))
        #expect(text.contains("\"uri\" : \"App/%C3%9Cnit%201.swift\""))
    }
}
