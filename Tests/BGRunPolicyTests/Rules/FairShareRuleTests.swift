// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Fair share between apps", .timeLimit(.minutes(5)))
struct FairShareRuleTests {
    /// A machine whose apps always want to run, each with attempts of its own length; time advances from
    /// one end of an attempt to the next.
    private struct Machine {
        var rule: FairShareRule<String>
        let lengths: [String: Int64]
        /// The running attempts with their ends.
        var running: [(app: String, end: Int64)] = []
        var used: [String: Int64] = [:]
        var elapsed: Int64 = 0
        /// The largest number of concurrent attempts.
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
        "apps that always want to run get the same running time, with any length of attempts",
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

    @Test("an app that starts later gets its share from then on, without compensation")
    func newcomer() throws {
        var machine = Machine(slots: 1, ["a": 100, "b": 100])
        machine.join("a")
        machine.run(until: 100_000)
        machine.join("b")
        machine.run(until: 200_000)
        let used = try #require(machine.used["b"])
        #expect(abs(used - 50_000) <= 200)
    }

    @Test("an app that starts while no other is active begins at the level of the others")
    func afterOthers() {
        var rule = FairShareRule<String>(slots: 1)
        rule.report("a", running: 0, wantsMore: true, answers: 0, at: 0)
        _ = rule.next(at: 0)
        rule.report("a", running: 1, wantsMore: false, answers: 1, at: 0)
        rule.report("a", running: 0, wantsMore: false, answers: 0, at: 100)
        rule.report("b", running: 0, wantsMore: true, answers: 0, at: 200)
        #expect(rule.next(at: 200)?.app == "b")
        rule.report("b", running: 1, wantsMore: true, answers: 1, at: 200)
        rule.report("a", running: 0, wantsMore: true, answers: 0, at: 210)
        rule.report("b", running: 0, wantsMore: true, answers: 0, at: 210)
        #expect(rule.next(at: 210)?.app == "a")
    }

    @Test("the time that an app has used alone counts for an hour at most")
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

    @Test("an app alone gets all free slots, and one slot at a time beside another")
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

    @Test("slots that an app does not use, or releases, are free for the others")
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

    @Test("the grant of an app that does not answer goes to the others until it reports again")
    func forfeited() {
        var rule = FairShareRule<String>(slots: 2)
        rule.report("a", running: 0, wantsMore: true, answers: 0, at: 0)
        #expect(rule.next(at: 0)?.count == 2)
        rule.report("b", running: 0, wantsMore: true, answers: 0, at: 1)
        #expect(rule.next(at: 1) == nil)
        rule.forfeit("a", at: 2)
        let next = rule.next(at: 2)
        #expect(next?.app == "b" && next?.count == 2, "a wants nothing")
        rule.report("b", running: 1, wantsMore: true, answers: 2, at: 3)
        // The app has woken up, and launches the attempts that were granted before.
        rule.report("a", running: 2, wantsMore: true, answers: 2, at: 4)
        #expect(rule.next(at: 4) == nil)
        rule.report("a", running: 0, wantsMore: true, answers: 0, at: 5)
        #expect(rule.next(at: 5)?.app == "b")
    }

    @Test("launches of a forfeited grant count only in the next report")
    func reportedOnce() {
        var rule = FairShareRule<String>(slots: 2)
        rule.report("a", running: 0, wantsMore: true, answers: 0, at: 0)
        _ = rule.next(at: 0)
        rule.forfeit("a", at: 1)
        rule.report("a", running: 0, wantsMore: false, answers: 0, at: 2)
        rule.report("a", running: 2, wantsMore: false, answers: 0, at: 3)
        rule.report("b", running: 0, wantsMore: true, answers: 0, at: 4)
        #expect(rule.next(at: 4)?.count == 2)
    }

    @Test("the time of a grant that is forfeited, or returned unused, is charged")
    func unusedGrants() {
        for isReturned in [false, true] {
            var rule = FairShareRule<String>(slots: 1)
            rule.report("idle", running: 0, wantsMore: true, answers: 0, at: 0)
            #expect(rule.next(at: 0)?.app == "idle")
            rule.report("busy", running: 0, wantsMore: true, answers: 0, at: 0)
            if isReturned {
                rule.report("idle", running: 0, wantsMore: true, answers: 1, at: 11)
            } else {
                rule.forfeit("idle", at: 11)
                rule.report("idle", running: 0, wantsMore: true, answers: 0, at: 11)
            }
            // The others had to wait for 11, so its next turn comes when "busy" has run longer than that.
            var now: Int64 = 11
            while now < 26 {
                #expect(rule.next(at: now)?.app == "busy", "returned: \(isReturned), at \(now)")
                rule.report("busy", running: 1, wantsMore: true, answers: 1, at: now)
                now += 5
                rule.report("busy", running: 0, wantsMore: true, answers: 0, at: now)
            }
            #expect(rule.next(at: now)?.app == "idle", "returned: \(isReturned)")
        }
    }

    @Test("a grant to an app with a running attempt is charged from the grant on")
    func grantBesideAttempt() {
        var rule = FairShareRule<String>(slots: 2)
        for app in ["a", "b"] {
            rule.report(app, running: 0, wantsMore: true, answers: 0, at: 0)
        }
        for app in ["a", "b"] {
            #expect(rule.next(at: 0)?.app == app)
            rule.report(app, running: 1, wantsMore: true, answers: 1, at: 0)
        }
        // Both apps have used 100.
        rule.report("b", running: 0, wantsMore: true, answers: 0, at: 100)
        #expect(rule.next(at: 100)?.app == "a")
        // Then a uses 20 more.
        rule.report("a", running: 0, wantsMore: true, answers: 1, at: 110)
        #expect(rule.next(at: 110)?.app == "b")
        rule.report("b", running: 1, wantsMore: true, answers: 1, at: 110)
        rule.report("b", running: 0, wantsMore: true, answers: 0, at: 150)
        #expect(rule.next(at: 150)?.app == "a", "120 are less than 140")
    }

    @Test(
        "no number that an app reports crashes the rule",
        arguments: [
            Int.max, .min, -1,
        ])
    func extremes(number: Int) {
        var rule = FairShareRule<String>(slots: 2)
        rule.report("a", running: number, wantsMore: true, answers: number, at: .min)
        rule.report("b", running: number, wantsMore: true, answers: number, at: .max)
        rule.report("a", running: number, wantsMore: true, answers: number, at: .max)
        #expect(rule.next(at: .max) != nil, "what was not granted takes no room")
    }

    @Test("an app cannot report more attempts than it was granted")
    func bounded() {
        var rule = FairShareRule<String>(slots: 2)
        rule.report("liar", running: 0, wantsMore: true, answers: 0, at: 0)
        rule.report("b", running: 0, wantsMore: true, answers: 0, at: 0)
        #expect(rule.next(at: 0)?.app == "b")
        rule.report("liar", running: Int(Int32.max), wantsMore: true, answers: 5, at: 1)
        // The app runs nothing, so that one slot is free.
        #expect(rule.next(at: 1)?.app == "liar")
        rule.report("liar", running: 9, wantsMore: true, answers: 1, at: 2)
        rule.report("b", running: 0, wantsMore: true, answers: 1, at: 2)
        #expect(rule.next(at: 3)?.app == "b", "one of it runs, whatever it says")
        #expect(rule.next(at: 3) == nil)
    }

    // MARK: reclaiming slots

    private static let second: Int64 = 1_000_000_000
    private static let policy = SharePolicy(
        reclaimAfter: .seconds(100), reclaimTimeout: .seconds(20))

    /// `hog` holds every slot; the other apps have wanted one since 10 s.
    private static func hogged(slots: Int, others: [String] = ["other"]) -> FairShareRule<String> {
        var rule = FairShareRule<String>(slots: slots, policy: policy)
        rule.report("hog", running: 0, wantsMore: true, answers: 0, at: 0)
        _ = rule.next(at: 0)
        rule.report("hog", running: slots, wantsMore: true, answers: slots, at: 0)
        for other in others {
            rule.report(other, running: 0, wantsMore: true, answers: 0, at: 10 * second)
        }
        return rule
    }

    @Test("an app that has waited long enough gets a slot from the one that holds the most")
    func reclaimed() {
        var rule = Self.hogged(slots: 4)
        #expect(rule.reclaimDate(after: 10 * Self.second) == 100 * Self.second)
        #expect(rule.reclaim(at: 110 * Self.second - 1) == nil)
        #expect(rule.reclaim(at: 110 * Self.second) == "hog")
        #expect(rule.reclaim(at: 110 * Self.second) == nil, "one at a time for each that waits")
        rule.report("hog", running: 3, wantsMore: true, answers: 0, at: 112 * Self.second)
        #expect(rule.next(at: 112 * Self.second)?.app == "other", "not to the one that gave it")
        rule.report("other", running: 1, wantsMore: true, answers: 1, at: 112 * Self.second)
        #expect(rule.reclaim(at: 113 * Self.second) == nil)
        // The app wants more and waits from now on; slots are reclaimed until both apps hold the same.
        #expect(rule.reclaim(at: 212 * Self.second) == "hog")
        rule.report("hog", running: 2, wantsMore: true, answers: 0, at: 213 * Self.second)
        #expect(rule.next(at: 213 * Self.second)?.app == "other")
        rule.report("other", running: 2, wantsMore: true, answers: 1, at: 213 * Self.second)
        #expect(rule.reclaim(at: 999 * Self.second) == nil, "both hold their share")
    }

    @Test("apps take turns if there are fewer slots than apps")
    func turns() {
        var rule = Self.hogged(slots: 1)
        #expect(rule.reclaim(at: 110 * Self.second) == "hog")
        rule.report("hog", running: 0, wantsMore: true, answers: 0, at: 111 * Self.second)
        #expect(rule.next(at: 111 * Self.second)?.app == "other")
        rule.report("other", running: 1, wantsMore: false, answers: 1, at: 111 * Self.second)
        #expect(rule.reclaim(at: 112 * Self.second) == nil)
        #expect(rule.reclaim(at: 300 * Self.second) == "other")
    }

    @Test("an app that holds a slot is not next merely because of its waiting time")
    func waitingHolder() {
        var rule = FairShareRule<String>(slots: 3, policy: Self.policy)
        rule.report("a", running: 0, wantsMore: true, answers: 0, at: 0)
        rule.report("c", running: 0, wantsMore: true, answers: 0, at: 0)
        #expect(rule.next(at: 0)?.app == "a")
        rule.report("a", running: 1, wantsMore: false, answers: 1, at: 0)
        #expect(rule.next(at: 0)?.count == 2)
        rule.report("c", running: 2, wantsMore: false, answers: 2, at: 0)
        rule.report("a", running: 1, wantsMore: true, answers: 0, at: 0)
        rule.report("b", running: 0, wantsMore: true, answers: 0, at: 150 * Self.second)
        rule.report("c", running: 1, wantsMore: false, answers: 0, at: 200 * Self.second)
        // a has used 200 s and waited for 200 s; b has used 150 s and waited for 50 s.
        #expect(rule.next(at: 200 * Self.second)?.app == "b")
    }

    @Test("several waiting apps get one slot each, and no more are reclaimed")
    func several() {
        var rule = Self.hogged(slots: 4, others: ["a", "b"])
        let taken = (0..<5).map { _ in rule.reclaim(at: 120 * Self.second) }
        #expect(taken == ["hog", "hog", nil, nil, nil])
    }

    @Test(
        "a slot that is not returned in time is reassigned, and its app gets no other until then")
    func writtenOff() {
        var rule = Self.hogged(slots: 2)
        #expect(rule.reclaim(at: 110 * Self.second) == "hog")
        #expect(rule.next(at: 129 * Self.second) == nil)
        #expect(rule.reclaimDate(after: 111 * Self.second) == 130 * Self.second)
        _ = rule.reclaim(at: 130 * Self.second)
        #expect(rule.hasFreeSlots)
        #expect(rule.next(at: 130 * Self.second)?.app == "other")
        rule.report("other", running: 0, wantsMore: false, answers: 1, at: 131 * Self.second)
        #expect(!rule.hasFreeSlots)
        #expect(rule.next(at: 131 * Self.second) == nil, "it holds two still")
        rule.report("hog", running: 1, wantsMore: true, answers: 0, at: 132 * Self.second)
        #expect(rule.next(at: 132 * Self.second)?.app == "hog")
    }

    @Test("nothing is reclaimed while there is a free slot, or from an app for itself")
    func notReclaimed() {
        var rule = FairShareRule<String>(slots: 2, policy: Self.policy)
        rule.report("a", running: 0, wantsMore: true, answers: 0, at: 0)
        _ = rule.next(at: 0)
        rule.report("a", running: 2, wantsMore: true, answers: 2, at: 0)
        #expect(rule.reclaim(at: 900 * Self.second) == nil)
        rule.report("a", running: 1, wantsMore: false, answers: 0, at: 900 * Self.second)
        rule.report("b", running: 0, wantsMore: true, answers: 0, at: 900 * Self.second)
        #expect(rule.reclaim(at: 2_000 * Self.second) == nil)
    }

    @Test("the time that an app has used while others were idle counts for an hour at most")
    func cappedDebt() {
        let hour = 3_600 * Self.second
        var rule = FairShareRule<String>(slots: 3, policy: SharePolicy(reclaimAfter: .hours(9_000)))
        for (app, running) in [("a", 2), ("b", 1)] {
            rule.report(app, running: 0, wantsMore: true, answers: 0, at: 0)
            _ = rule.next(at: 0)
            rule.report(app, running: running, wantsMore: false, answers: 3, at: 0)
        }
        // By then a has used 400 h, and b 200 h.
        rule.report("a", running: 0, wantsMore: false, answers: 0, at: 200 * hour)
        rule.report("b", running: 1, wantsMore: true, answers: 0, at: 200 * hour)
        rule.report("a", running: 0, wantsMore: true, answers: 0, at: 200 * hour)
        var turns = 0
        var elapsed = 200 * hour
        for _ in 0..<24 {
            guard let (app, count) = rule.next(at: elapsed) else { break }
            if app == "a" { turns += 1 }
            let running = app == "b" ? 1 + count : count
            rule.report(app, running: running, wantsMore: true, answers: count, at: elapsed)
            elapsed += hour / 4
            rule.report(
                app, running: app == "b" ? 1 : 0, wantsMore: true, answers: 0, at: elapsed)
        }
        #expect(turns > 4, "\(turns) of 24 turns")
    }

    @Test("an app that starts on an idle machine begins at the level of the largest user")
    func afterRest() {
        let hour: Int64 = 3_600_000_000_000
        var rule = FairShareRule<String>(slots: 1)
        rule.report("old", running: 0, wantsMore: true, answers: 0, at: 0)
        let first = rule.next(at: 0)
        #expect(first?.app == "old")
        rule.report("old", running: 1, wantsMore: false, answers: 1, at: 0)
        rule.report("old", running: 0, wantsMore: false, answers: 0, at: 5 * hour)
        rule.report("new", running: 0, wantsMore: true, answers: 0, at: 5 * hour)
        rule.report("old", running: 0, wantsMore: true, answers: 0, at: 5 * hour)
        let second = rule.next(at: 5 * hour)
        #expect(second?.app == "new", "it has waited for longer")
        rule.report("new", running: 1, wantsMore: true, answers: 1, at: 5 * hour)
        rule.report("new", running: 0, wantsMore: true, answers: 0, at: 5 * hour + hour / 2)
        let third = rule.next(at: 5 * hour + hour / 2)
        #expect(third?.app == "old")
    }

    @Test("a slot is not taken from an app that holds one more: the two would only swap")
    func nearlyEqual() {
        var rule = Self.hogged(slots: 3)
        #expect(rule.reclaim(at: 110 * Self.second) == "hog")
        rule.report("hog", running: 2, wantsMore: true, answers: 0, at: 112 * Self.second)
        #expect(rule.next(at: 112 * Self.second)?.app == "other")
        rule.report("other", running: 1, wantsMore: true, answers: 1, at: 112 * Self.second)
        #expect(rule.reclaim(at: 999 * Self.second) == nil)
    }
}
