// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSimulation
import Testing

@Suite("The script of a scenario", .timeLimit(.minutes(10)))
struct ScriptTests {
    private func script(_ text: String) throws -> Script {
        let manifest = try Sample.manifest(Sample.task("t", "kind: processing"))
        return Script(try Sample.scenario(text, for: manifest), seed: 1)
    }

    private func hours(_ count: Int64) -> Int64 { count * 3_600_000_000_000 }

    @Test("each event is taken once, and not before it is due")
    func order() throws {
        var script = try script(
            """
            duration: 1d
            device: {power: [{at: 2h, for: 3h}]}
            events: [{at: 3h, app: open}, {at: 1h, trigger: com.app.t}]
            """)
        var taken: [Int64] = []
        while let next = script.nextInstant {
            #expect(script.take(at: next - 1) == nil)
            #expect(script.take(at: next) != nil)
            taken.append(next)
        }
        #expect(taken == [hours(1), hours(2), hours(3), hours(5)])
        #expect(script.take(at: hours(24)) == nil)
    }

    @Test("after sleep the last state of the device is first, then actions of users in order")
    func afterSleep() throws {
        var script = try script(
            """
            duration: 1d
            device: {power: [{at: 2h, for: 1h}, {at: 4h, for: 1h}]}
            events: [{at: 1h, app: force-quit}, {at: 2h, app: open}]
            """)
        #expect(script.firstState.externalPower == .no)
        let events = (0..<4).map { _ in script.take(at: hours(4)) }
        guard case .device(let state) = events[0] else {
            Issue.record("\(events)")
            return
        }
        #expect(state.externalPower == .yes)
        #expect(events[1...] == [.deed(.forceQuit), .deed(.openApp), nil])
        #expect(script.nextInstant == hours(5))
    }

    @Test("actions of users reach the engine as from a host")
    func open() {
        #expect(ScriptedEvent.ScenarioAction.openApp.events(ticket: 3) == [.appOpened(ticket: 3)])
        #expect(
            ScriptedEvent.ScenarioAction.forceQuit.events(ticket: 3) == [.appForceQuit(ticket: 3)])
        #expect(ScriptedEvent.ScenarioAction.setClock(.hours(1)).events(ticket: nil) == [.timer])
    }
}
