// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSimulation
import Foundation
import Testing

@Suite("Shipped scenarios", .timeLimit(.minutes(10)))
struct ShippedScenarioTests {
    static let names = [
        "commuter-phone", "office-laptop", "home-server", "edge-box-solar",
        "laptop-backup", "metered-download",
        "poll-every-30-seconds", "needs-five-minutes", "works-on-my-device", "identifier-mismatch",
        "fourteen-pushes",
    ]

    @Test("every folder is in this table, and has a manifest, a scenario and a README")
    func folders() throws {
        let folder = Sample.root + "/manifests/scenarios"
        let found = try FileManager.default.contentsOfDirectory(atPath: folder)
        // `traces` contains devices for any manifest and scenario.
        #expect(Set(found) == Set(Self.names + ["traces"]))
        for name in Self.names {
            for file in ["manifest.yaml", "scenario.yaml", "README.md"] {
                #expect(FileManager.default.fileExists(atPath: "\(folder)/\(name)/\(file)"))
            }
        }
    }

    @Test("the assertions of a README hold for every command line in it", arguments: names)
    func readme(_ name: String) throws {
        let path = "\(Sample.root)/manifests/scenarios/\(name)/README.md"
        let commands = try String(contentsOfFile: path, encoding: .utf8)
            .replacingOccurrences(of: "\\\n", with: " ").split(separator: "\n")
            .filter { $0.hasPrefix("    bgrun simulate -m manifest.yaml -s ") }
        try #require(!commands.isEmpty)
        for command in commands {
            let scenario = try #require(
                command.split(separator: " ").first {
                    $0 != "manifest.yaml" && $0.hasSuffix(".yaml")
                })
            let result = try Sample.shipped(name, scenario: String(scenario.dropLast(5)))
            let assertions = command.split(separator: "'").enumerated()
                .filter { $0.offset % 2 == 1 }.map { String($0.element) }
            try #require(!assertions.isEmpty)
            for text in assertions {
                #expect(try Assertion(text).objection(in: result) == nil, "\(text)")
            }
        }
    }

    @Test("the engine keeps its promises in each scenario, whatever the seed", arguments: names)
    func promises(_ name: String) throws {
        for seed in UInt64(1)...5 {
            #expect(try Sample.shipped(name, seed: seed).faults == [], "--seed \(seed)")
        }
    }

    @Test("polling every 30 seconds is never launched, a push at once")
    func polling() throws {
        let result = try Sample.shipped("poll-every-30-seconds")
        let poll = try result.tally("every-30s")
        #expect(poll.launches == 0)
        #expect(poll.accepted == 960)
        #expect(poll.replaced == 959)
        #expect(try result.tally("by-push").waits.allSatisfy { $0 == 0 })
    }

    @Test(
        "fourteen pushes in an hour and a half cause seven launches, each with the newest"
    )
    func fourteenPushes() throws {
        let push = try Sample.shipped("fourteen-pushes").tally("changed")
        #expect(push.accepted == 14)
        #expect(push.launches == 7)
        #expect(push.replaced == 7)
        #expect(push.completed == 7)
    }

    @Test("five minutes never fit into a refresh; chunks with a checkpoint need five attempts")
    func fiveMinutes() throws {
        let result = try Sample.shipped("needs-five-minutes")
        let refresh = try result.tally("as-refresh")
        #expect(refresh.completed == 0)
        #expect(refresh.expired == [.time: refresh.launches])
        let chunks = try result.tally("in-chunks")
        #expect(chunks.launches == 5)
        #expect(chunks.completed == 1)
        let processing = try result.tally("as-processing")
        // The request waits for power, and for the end of the earlier attempt.
        #expect(processing.waits == [Int64(9_071_000_000_000)])
    }

    @Test(
        "a task that runs on the developer's desk never runs on the user's device, with the reason")
    func worksOnMyDevice() throws {
        let desk = try Sample.shipped("works-on-my-device", scenario: "developers-desk")
        #expect(try desk.tally("nightly").completed == 5)
        let user = try Sample.shipped("works-on-my-device")
        let tally = try user.tally("nightly")
        #expect(tally.launches == 0)
        #expect(
            Set(tally.blocked.keys) == [
                "power: external", "network: unmetered", "idle: true",
                "the app's removal by force",
            ])
    }

    @Test("an identifier that is not permitted is refused with the nearest one")
    func mismatch() throws {
        let result = try Sample.shipped("identifier-mismatch")
        let wrong = try result.tally("Refresh")
        #expect(wrong.refused == 12)
        #expect(wrong.launches == 0)
        let message = try #require(wrong.refusals.keys.first)
        #expect(message.contains("did you mean \"com.example.mismatch.refresh\"?"))
        #expect(try result.tally("refresh").launches == 4)
    }

    @Test("the laptop's backup is interrupted by the cable and by the clock, and completes")
    func laptop() throws {
        let backup = try Sample.shipped("office-laptop").tally("backup")
        #expect(try #require(backup.expired[.powerLost]) > 0)
        #expect(try #require(backup.expired[.time]) > 0)
        #expect(backup.completed >= 3)
    }
}
