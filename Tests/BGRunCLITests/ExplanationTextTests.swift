// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunPolicy
import Foundation
import Testing

@testable import BGRunCLI

@Suite("The text of an explanation", .timeLimit(.minutes(10)))
struct ExplanationTextTests {
    @Test("begins with the task's description, if it has one")
    func description() throws {
        var view = try explanation()
        let plain = ExplanationText(view: view).text
        #expect(plain.hasPrefix("com.example.clean (processing) is not pending"))
        view.description = "Deletes old thumbnails"
        #expect(ExplanationText(view: view).text == "Deletes old thumbnails\n\n" + plain)
    }

    @Test("marks and explains conditions that do not block although unknown or not met")
    func notes() throws {
        let all = try explanation(device: DeviceState(pressure: .yes), policy: .apple)
        var unmet = all
        let index = try #require(unmet.lines.firstIndex { $0.name == "thermal" })
        unmet.lines[index].satisfied = false
        // The columns are padded.
        func rows(_ view: ExplanationView) -> String {
            ExplanationText(view: view).text.replacing(#/  +/#, with: "  ")
        }
        #expect(rows(all).contains("\npass  thermal  unknown (treated as met)  below serious  "))
        #expect(
            rows(all).contains(
                "\npass  pressure  contended (preference not met; does not block)  not contended  ")
        )
        #expect(rows(all).contains("\nok  processing  0 running  "))
        #expect(rows(unmet).contains("\nno  thermal  unknown (treated as not met)  "))
    }

    @Test("of an older or newer host, without known notes, has plain marks")
    func foreignNotes() throws {
        var view = try explanation(policy: .apple)
        for note in [nil, Explanation.Note(rawValue: "of tomorrow")] {
            for index in view.lines.indices {
                view.lines[index].note = note
                view.lines[index].subject = Explanation.Subject(rawValue: "of tomorrow")
            }
            let json = try JSONEncoder().encode(view)
            #expect(try JSONDecoder().decode(ExplanationView.self, from: json) == view)
            #expect(view.lines.allSatisfy { $0.mark == "ok" && $0.currentText == $0.current })
        }
    }

    @Test("states the date at which a forecast stops before the requested date")
    func shortfall() throws {
        let now = Instant(elapsed: 0, wall: WallTime(milliseconds: 1_790_000_000_000))
        var engine = Engine(
            Engine.Configuration(
                permitted: ["com.example.often"],
                declarations: [
                    TaskDeclaration(
                        identifier: "com.example.often", kind: .processing,
                        schedule: .every(.seconds(5)), timeLimit: .seconds(1))
                ],
                modes: [.processing], policy: .server), device: DeviceState())
        var random = SystemRandomNumberGenerator()
        _ = engine.handle(.start, at: now, using: &random)
        func view(in interval: Interval) throws -> ExplanationView {
            let forecast = engine.forecast(to: now.wall.advanced(by: interval), from: now)
            return try #require(ExplanationView(forecast, of: "com.example.often"))
        }
        let far = try view(in: .hours(24 * 365))
        let reached = try #require(far.at)
        let asked = now.wall.advanced(by: .hours(24 * 365))
        #expect(far.asked == asked)
        #expect(reached < asked)
        #expect(
            ExplanationText(view: far).text.hasPrefix(
                "\(asked.localText) is too far away: the forecast stops at \(reached.localText), after "
                    + "100000 events; ask for an earlier date.\n"))
        let near = try view(in: .hours(1))
        #expect(near.asked == nil)
        #expect(ExplanationText(view: near).text.hasPrefix("At "))
    }

    private func explanation(
        device: DeviceState = DeviceState(), policy: Policy = .server
    ) throws -> ExplanationView {
        let now = WallTime(milliseconds: 0)
        let engine = Engine(
            Engine.Configuration(
                permitted: ["com.example.clean"],
                declarations: [TaskDeclaration(identifier: "com.example.clean", kind: .processing)],
                modes: [.processing], policy: policy), device: device)
        return ExplanationView(try #require(engine.explain("com.example.clean", at: now)), now: now)
    }
}
