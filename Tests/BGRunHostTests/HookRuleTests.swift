// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunPolicy
import Testing

@testable import BGRunHooks
@testable import BGRunManifest

@Suite("The rule of hooks that fire", .timeLimit(.minutes(10)))
struct HookRuleTests {
    private static let id = "org.test.a"
    private static let failed = HookRule.Happening.ended(.failed)
    private static let completed = HookRule.Happening.ended(.completed)

    private static func hook(
        _ triggers: HookTrigger..., tasks: [String] = [], after: Int = 1, every: Interval? = nil,
        waiting: Interval? = nil
    ) -> HookDefinition {
        HookDefinition(
            triggers: Set(triggers), tasks: tasks, action: .run(parameters: "{}"), after: after,
            every: every, waiting: waiting)
    }

    private static func date(_ minutes: Int64) -> WallTime {
        WallTime(milliseconds: 1_800_000_000_000).advanced(by: .minutes(minutes))
    }

    private static func rule(
        _ hooks: [HookDefinition], memory: [String: Int64] = [:], at minutes: Int64 = 0
    ) -> HookRule {
        HookRule(hooks, timeout: .days(1), memory: memory, at: date(minutes))
    }

    /// The triggers of one hook for events a minute apart; "-" for an event without a trigger.
    private static func told(
        _ hook: HookDefinition, _ happenings: [HookRule.Happening]
    ) -> [String] {
        var rule = rule([hook])
        return happenings.enumerated().map { minute, happening in
            let firings = rule.note(happening, of: id, at: date(Int64(minute)))
            return firings.map(\.trigger.rawValue).joined(separator: "+")
        }.map { $0.isEmpty ? "-" : $0 }
    }

    @Test(
        "each outcome fires one event; an outcome that a user or the host requested fires none",
        arguments: [
            (Outcome.failed, "failed"), (.crashed(signal: 11), "failed"),
            (.exited(code: 3), "failed"), (.refused, "failed"), (.limited(.memory), "failed"),
            (.expired(.time, reported: nil), "expired"),
            (.expired(.stalled, reported: nil), "expired"),
            (.expired(.powerLost, reported: false), "expired"),
            (.expired(.shutdown, reported: nil), "-"), (.expired(.cancelled, reported: nil), "-"),
            (.expired(.suspend, reported: nil), "-"),
            (.expired(.manifestChanged, reported: nil), "-"), (.interrupted, "interrupted"),
            (.completed, "completed"),
        ])
    func outcomes(_ outcome: Outcome, _ event: String) {
        let all = Self.hook(.failed, .expired, .interrupted, .completed, .gaveUp)
        #expect(Self.told(all, [.ended(outcome)]) == [event])
        let givenUp = event == "-" ? "-" : "gave-up"
        #expect(Self.told(all, [.ended(outcome, isGivenUp: true)]) == [givenUp])
    }

    @Test("a skipped or refused request fires the event of that name")
    func requests() {
        #expect(Self.told(Self.hook(.skipped), [.skipped, .refused]) == ["skipped", "-"])
        #expect(Self.told(Self.hook(.refused), [.refused, .skipped]) == ["refused", "-"])
    }

    @Test("a success has no failures, a recovery has the number of failures before it")
    func counts() {
        var rule = Self.rule([Self.hook(.completed), Self.hook(.recovered)])
        _ = rule.note(Self.failed, of: Self.id, at: Self.date(0))
        let firings = rule.note(Self.completed, of: Self.id, at: Self.date(1))
        #expect(firings.map(\.trigger) == [.completed, .recovered])
        #expect(firings.map(\.failures) == [0, 1])
    }

    @Test("a hook fires only for its own events and tasks")
    func others() {
        #expect(
            Self.told(Self.hook(.expired), [Self.failed, .skipped, .refused]) == ["-", "-", "-"])
        let other = Self.hook(.failed, tasks: ["org.test.b", "org.test.c.*"])
        #expect(Self.told(other, [Self.failed]) == ["-"])
        var rule = Self.rule([other])
        #expect(rule.note(Self.failed, of: "org.test.c.1", at: Self.date(0)).count == 1)
        #expect(rule.note(Self.failed, of: "org.test.b", at: Self.date(0)).count == 1)
    }

    @Test("giving up fires `gave-up` for a hook on both events, `failed` for a hook on failures")
    func givenUp() {
        let end = HookRule.Happening.ended(.failed, isGivenUp: true)
        #expect(Self.told(Self.hook(.failed, .gaveUp), [end]) == ["gave-up"])
        #expect(Self.told(Self.hook(.failed), [end]) == ["failed"])
        #expect(Self.told(Self.hook(.gaveUp), [Self.failed, .gaveUp]) == ["-", "gave-up"])
    }

    @Test("`after` counts failures in a row, without attempts that the system took back")
    func after() {
        let hook = Self.hook(.failed, .expired, .recovered, after: 3)
        let lost = HookRule.Happening.ended(.expired(.powerLost, reported: nil))
        let late = HookRule.Happening.ended(.expired(.time, reported: nil))
        #expect(
            Self.told(
                hook,
                [
                    Self.failed, Self.failed, Self.completed, Self.failed, lost, late, Self.failed,
                    Self.failed, lost, Self.completed, Self.completed,
                ])
                == [
                    "-", "-", "-", "-", "-", "-", "failed", "failed", "expired", "recovered", "-",
                ])
    }

    @Test("a recovery is reported once, after the number of failures that the hook requires")
    func recovered() {
        let happenings = [Self.completed, Self.failed, Self.completed, Self.completed]
        #expect(
            Self.told(Self.hook(.recovered), happenings) == ["-", "-", "recovered", "-"])
        #expect(
            Self.told(Self.hook(.recovered, .completed), happenings)
                == ["completed", "-", "recovered", "completed"])
        var rule = Self.rule([Self.hook(.failed, .recovered)])
        let counts = [Self.failed, Self.failed, Self.completed].flatMap {
            rule.note($0, of: Self.id, at: Self.date(0)).map(\.failures)
        }
        #expect(counts == [1, 2, 2])
    }

    @Test("`every` permits one firing and one recovery per task")
    func every() {
        let hook = Self.hook(.failed, .recovered, every: .minutes(4))
        #expect(
            Self.told(
                hook,
                [
                    Self.failed, Self.failed, Self.completed, Self.failed, Self.failed,
                    Self.completed, Self.failed, Self.completed,
                ]) == ["failed", "-", "recovered", "-", "failed", "-", "-", "recovered"])
        var rule = Self.rule([hook])
        #expect(rule.note(Self.failed, of: "org.test.x", at: Self.date(0)).count == 1)
        #expect(rule.note(Self.failed, of: "org.test.y", at: Self.date(0)).count == 1)
    }

    @Test("a clock that is set back delays no hook")
    func clockSetBack() {
        var rule = Self.rule([Self.hook(.failed, every: .hours(1))])
        #expect(rule.note(Self.failed, of: Self.id, at: Self.date(600)).count == 1)
        #expect(rule.note(Self.failed, of: Self.id, at: Self.date(0)).count == 1)
    }

    @Test("failures in a row, the last firing and reported events survive the host")
    func memory() {
        let hooks = [
            Self.hook(.failed, .starved, after: 2, every: .hours(1), waiting: .minutes(5))
        ]
        var memory: [String: Int64] = [:]
        func keep(_ rule: inout HookRule) {
            for change in rule.takeChanges() { memory[change.name] = change.value }
        }
        var first = Self.rule(hooks)
        #expect(first.note(Self.failed, of: Self.id, at: Self.date(0)).isEmpty)
        keep(&first)
        var second = Self.rule(hooks, memory: memory)
        #expect(second.note(Self.failed, of: Self.id, at: Self.date(1)).count == 1)
        keep(&second)
        var third = Self.rule(hooks, memory: memory, at: 2)
        #expect(third.note(Self.failed, of: Self.id, at: Self.date(2)).isEmpty, "within the hour")
        #expect(third.note(Self.failed, of: Self.id, at: Self.date(61)).count == 1)
        _ = third.wait(for: Self.request(at: 0, earliest: nil, identifier: "org.test.s"))
        #expect(third.starve(at: Self.date(65)).count == 1)
        keep(&third)
        var fourth = Self.rule(hooks, memory: memory, at: 66)
        _ = fourth.wait(for: Self.request(at: 0, earliest: nil, identifier: "org.test.s"))
        #expect(fourth.starve(at: Self.date(200)).isEmpty)
    }

    @Test("the state of removed hooks is deleted")
    func forgotten() {
        var old = Self.rule([Self.hook(.failed, every: .hours(1))])
        _ = old.note(Self.failed, of: Self.id, at: Self.date(0))
        let changes = old.takeChanges()
        let memory = Dictionary(
            changes.compactMap { change in change.value.map { (change.name, $0) } },
            uniquingKeysWith: { first, _ in first })
        #expect(memory.count == 2)
        var other = Self.rule([Self.hook(.expired, every: .hours(1))], memory: memory)
        #expect(other.takeChanges().map(\.name).allSatisfy { $0.hasPrefix("fired:") })
        var none = Self.rule([], memory: memory)
        #expect(none.takeChanges().count == 2)
    }

    // MARK: starvation

    @Test("unknown identifiers are counted up to a limit, known ones always")
    func limit() {
        var rule = Self.rule([Self.hook(.failed)])
        for number in 0..<HookRule.mostMemory + 10 {
            _ = rule.note(Self.failed, of: "org.test.\(number)", at: Self.date(0))
        }
        #expect(
            rule.memory.count == HookRule.mostMemory
                && rule.takeChanges().count == HookRule.mostMemory)
        #expect(rule.note(Self.failed, of: "org.test.0", at: Self.date(1)).map(\.failures) == [2])
        // A success removes an identifier, so that there is room for another.
        _ = rule.note(Self.completed, of: "org.test.0", at: Self.date(2))
        _ = rule.note(Self.failed, of: "org.test.new", at: Self.date(3))
        #expect(rule.memory["failures:org.test.new"] == 1)
    }

    private static func request(
        at minutes: Int64, earliest: Int64?, identifier: String = id
    ) -> TaskRequest {
        TaskRequest(
            id: 1, identifier: identifier, kind: .processing, submitted: date(minutes),
            earliest: earliest.map(date))
    }

    @Test(
        "a request starves after the time that the hook states, by default a day",
        arguments: [
            (Interval.minutes(5), Int64?.none, Int64(5)), (.minutes(5), 60, 65),
            (nil, nil, 1_440), (nil, 30, 1_470),
        ])
    func starves(_ waiting: Interval?, _ earliest: Int64?, _ end: Int64) throws {
        var rule = Self.rule([Self.hook(.starved, waiting: waiting)])
        #expect(rule.wait(for: Self.request(at: 0, earliest: earliest)) == Self.date(end))
        #expect(rule.nextStarvation == Self.date(end))
        #expect(rule.starve(at: Self.date(end - 1)).isEmpty)
        let firing = try #require(rule.starve(at: Self.date(end)).first)
        #expect(firing.trigger == .starved)
        #expect(firing.due == Self.date(earliest ?? 0))
        #expect(rule.starve(at: Self.date(end + 9_999)).isEmpty, "told once")
        #expect(rule.nextStarvation == nil, "no timer is left")
    }

    @Test("a request that is launched in time does not starve; a requeued one does")
    func launched() {
        var rule = Self.rule([Self.hook(.starved, .recovered, waiting: .minutes(5))])
        _ = rule.wait(for: Self.request(at: 0, earliest: nil))
        #expect(rule.isWaiting)
        rule.stopWaiting(for: Self.id)
        #expect(!rule.isWaiting)
        #expect(rule.nextStarvation == nil)
        #expect(rule.starve(at: Self.date(99)).isEmpty)
        _ = rule.wait(for: Self.request(at: 100, earliest: nil))
        #expect(rule.starve(at: Self.date(105)).count == 1)
        rule.stopWaiting(for: Self.id)
        let recovery = rule.note(Self.completed, of: Self.id, at: Self.date(106))
        #expect(recovery.map(\.trigger) == [.recovered], "it ran at last")
        #expect(rule.note(Self.completed, of: Self.id, at: Self.date(107)).isEmpty)
    }

    @Test("no timer is set for requests without a hook on starvation")
    func nobodyAsks() {
        var rule = Self.rule([
            Self.hook(.failed), Self.hook(.starved, tasks: ["org.test.other"]),
        ])
        #expect(rule.wait(for: Self.request(at: 0, earliest: nil)) == nil)
        #expect(rule.nextStarvation == nil)
    }
}
