// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import Testing

@Suite("Fair share between apps")
struct FairShareRuleTests {
    /// Apps that always want to run, each with attempts of a length of its own; time passes from one
    /// end of an attempt to the next.
    private struct Machine {
        var rule: FairShareRule<String>
        let lengths: [String: Int64]
        /// When each attempt ends.
        var running: [(app: String, end: Int64)] = []
        var used: [String: Int64] = [:]
        var elapsed: Int64 = 0
        /// The most that ran at once.
        var most = 0

        init(slots: Int, _ lengths: [String: Int64]) {
            rule = FairShareRule(slots: slots)
            self.lengths = lengths
        }

        mutating func join(_ app: String) { report(app) }

        private mutating func report(_ app: String, answers: Int = 0) {
            rule.report(
                app, running: running.count { $0.app == app }, wantsMore: true, answers: answers,
                at: elapsed)
        }

        mutating func run(until end: Int64) {
            while elapsed < end {
                while let (app, count) = rule.next(at: elapsed) {
                    running += Array(repeating: (app, elapsed + (lengths[app] ?? 1)), count: count)
                    report(app, answers: count)
                }
                most = max(most, running.count)
                guard let next = running.map(\.end).min() else { return }
                for attempt in running { used[attempt.app, default: 0] += next - elapsed }
                elapsed = next
                let ended = running.filter { $0.end <= next }
                running.removeAll { $0.end <= next }
                for app in Set(ended.map(\.app)).sorted() { report(app) }
            }
        }
    }

    @Test(
        "apps that always want to run get the same running time, however long their attempts are",
        arguments: [1, 2, 5])
    func equal(slots: Int) throws {
        let lengths: [String: Int64] = ["long": 1_000, "short": 10, "middle": 170]
        var machine = Machine(slots: slots, lengths)
        for app in lengths.keys.sorted() { machine.join(app) }
        machine.run(until: 300_000)
        #expect(machine.most == slots)
        let share = Int64(slots) * machine.elapsed / 3
        for (app, used) in machine.used {
            #expect(abs(used - share) <= 2_000 * Int64(slots), "\(app): \(used) of \(share)")
        }
    }

    @Test("an app that comes later gets its share from then on, and nothing for the time before")
    func newcomer() throws {
        var machine = Machine(slots: 1, ["a": 100, "b": 100])
        machine.join("a")
        machine.run(until: 100_000)
        machine.join("b")
        machine.run(until: 200_000)
        let used = try #require(machine.used["b"])
        #expect(abs(used - 50_000) <= 200)
    }

    @Test("what an app has used while it was alone counts against it for an hour at most")
    func debt() {
        let hour: Int64 = 3_600_000_000_000
        var rule = FairShareRule<String>(slots: 1)
        rule.report("a", running: 1, wantsMore: false, answers: 0, at: 0)
        rule.report("a", running: 0, wantsMore: false, answers: 0, at: 200 * hour)
        rule.report("new", running: 1, wantsMore: true, answers: 0, at: 200 * hour)
        rule.report("small", running: 0, wantsMore: true, answers: 0, at: 200 * hour)
        rule.report("a", running: 0, wantsMore: true, answers: 0, at: 200 * hour)
        rule.report("new", running: 0, wantsMore: false, answers: 0, at: 200 * hour + 1)
        var turns: [String] = []
        var now = 200 * hour + 1
        for _ in 0..<24 {
            guard let (app, _) = rule.next(at: now) else { break }
            turns.append(app)
            rule.report(app, running: 1, wantsMore: true, answers: 1, at: now)
            now += hour / 6
            rule.report(app, running: 0, wantsMore: true, answers: 0, at: now)
        }
        #expect(turns.count == 24)
        #expect((8...16).contains(turns.count { $0 == "a" }), "\(turns)")
    }

    @Test("an app that is alone gets all that is free, and with another one slot at a time")
    func alone() {
        var rule = FairShareRule<String>(slots: 4)
        rule.report("a", running: 0, wantsMore: true, answers: 0, at: 0)
        #expect(rule.next(at: 0)?.count == 4)
        #expect(rule.next(at: 0) == nil)
        rule.report("a", running: 1, wantsMore: true, answers: 4, at: 0)
        rule.report("b", running: 0, wantsMore: true, answers: 0, at: 0)
        let turns = [rule.next(at: 5), rule.next(at: 5), rule.next(at: 5)]
        #expect(turns.map { $0?.app } == ["b", "a", nil])
        #expect(turns.map { $0?.count } == [1, 1, nil])
    }

    @Test("what an app does not use, or leaves behind, is free for the others")
    func free() {
        var rule = FairShareRule<String>(slots: 1)
        rule.report("a", running: 0, wantsMore: true, answers: 0, at: 0)
        rule.report("b", running: 0, wantsMore: true, answers: 0, at: 0)
        #expect(rule.next(at: 0)?.app == "a")
        #expect(rule.next(at: 0) == nil)
        rule.report("a", running: 0, wantsMore: false, answers: 1, at: 1)
        #expect(rule.next(at: 1)?.app == "b")
        rule.remove("b")
        rule.report("a", running: 0, wantsMore: true, answers: 0, at: 2)
        #expect(rule.next(at: 2)?.app == "a")
    }

    @Test("an app that does not answer its grant leaves it to the others until it reports again")
    func forfeited() {
        var rule = FairShareRule<String>(slots: 2)
        rule.report("a", running: 0, wantsMore: true, answers: 0, at: 0)
        #expect(rule.next(at: 0)?.count == 2)
        rule.report("b", running: 0, wantsMore: true, answers: 0, at: 1)
        #expect(rule.next(at: 1) == nil)
        rule.forfeit("a")
        #expect(rule.next(at: 2)?.app == "b")
        rule.report("b", running: 1, wantsMore: true, answers: 2, at: 3)
        // It has woken up, and launched what it was granted then.
        rule.report("a", running: 2, wantsMore: true, answers: 2, at: 4)
        #expect(rule.next(at: 4) == nil)
        rule.report("a", running: 0, wantsMore: true, answers: 0, at: 5)
        #expect(rule.next(at: 5)?.app == "b")
    }
}
