// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Checks the properties that the SARIF 2.1.0 schema requires.
@Suite("Results in SARIF", .timeLimit(.minutes(5)))
struct SARIFTests {
    @Test("each failed case is a result with its rule, the file and the handler")
    func results() async throws {
        let plugin = try Built.misbehaving("completes-twice")
        try await Sandbox.with { box in
            let check = try await box.start(["plugin", "check", plugin, "--sarif"]).end()
            #expect(check.code == 1)
            let log = try #require(Self.object(check.output))
            #expect(log["version"] as? String == "2.1.0")
            #expect(Set(log.keys) == ["$schema", "version", "runs"])
            let run = try #require((log["runs"] as? [[String: Any]])?.first)
            let driver = try #require((run["tool"] as? [String: [String: Any]])?["driver"])
            #expect(driver["name"] as? String == "bgrun")
            let rules = try #require(driver["rules"] as? [[String: Any]])
            let ids = rules.compactMap { $0["id"] as? String }
            #expect(Set(ids).count == rules.count)
            let results = try #require(run["results"] as? [[String: Any]])
            #expect(results.count == 1)
            for result in results {
                #expect(result["ruleId"] as? String == "run.once")
                #expect(ids[try #require(result["ruleIndex"] as? Int)] == "run.once")
                #expect(result["level"] as? String == "error")
                let message = try #require((result["message"] as? [String: String])?["text"])
                #expect(message.contains("complete was called again"))
                let place = try #require((result["locations"] as? [[String: Any]])?.first)
                let file = (place["physicalLocation"] as? [String: [String: String]])?[
                    "artifactLocation"]
                #expect(file?["uri"]?.hasPrefix("file:///") == true)
                let names = try #require(place["logicalLocations"] as? [[String: String]])
                #expect(names == [["name": "run", "kind": "function"]])
            }
        }
    }

    @Test("a plugin without faults has no results, and a relative path stays relative")
    func clean() async throws {
        try await Sandbox.with { box in
            let good = try await box.run(
                ["plugin", "check", try Built.plugin("hello-c"), "--sarif", "--only", "run.once"])
            #expect(good.code == 0)
            let runs = Self.object(good.output)?["runs"] as? [[String: Any]]
            #expect((runs?.first?["results"] as? [Any])?.isEmpty == true)
            let bad = try await box.start(["plugin", "check", "no file.so", "--sarif"]).end()
            #expect(bad.code == 66)
            #expect(bad.output.contains(#""uri" : "no%20file.so""#))
        }
    }

    private static func object(_ text: String) -> [String: Any]? {
        try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    }
}
