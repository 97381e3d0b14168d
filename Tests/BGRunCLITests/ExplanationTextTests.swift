// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunPolicy
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

    private func explanation() throws -> ExplanationView {
        let now = WallTime(milliseconds: 0)
        let engine = Engine(
            Engine.Configuration(
                permitted: ["com.example.clean"],
                declarations: [TaskDeclaration(identifier: "com.example.clean", kind: .processing)],
                modes: [.processing], policy: .server), device: DeviceState())
        return ExplanationView(try #require(engine.explain("com.example.clean", at: now)), now: now)
    }
}
