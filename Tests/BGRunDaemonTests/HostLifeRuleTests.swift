// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BGRunDaemon

@Suite("The rule of the lives of hosts", .timeLimit(.minutes(5)))
struct HostLifeRuleTests {
    private static let timeouts = HostLifeRule.Timeouts(start: 300, answer: 30, end: 200, stop: 10)

    /// The rule of a host that has reported at 0.
    private static func living() -> HostLifeRule {
        var rule = HostLifeRule(timeouts, startedAt: 0)
        rule.heard(at: 0)
        return rule
    }

    @Test("a host that answers is only asked again")
    func answers() {
        var rule = Self.living()
        for round: Int64 in 1...5 {
            #expect(rule.next == 30 * round)
            #expect(rule.tick(at: 30 * round - 1) == [])
            #expect(rule.tick(at: 30 * round) == [.ping])
            rule.heard(at: 30 * round)
        }
    }

    @Test("a host that does not answer receives SIGCONT, then SIGTERM, then SIGKILL")
    func silent() {
        var rule = Self.living()
        #expect(rule.tick(at: 30) == [.ping])
        #expect(rule.tick(at: 60) == [.resume, .ping])
        #expect(rule.tick(at: 90) == [.terminate, .resume])
        #expect(rule.tick(at: 119) == [])
        #expect(rule.tick(at: 120) == [.kill])
        #expect(rule.next == nil)
        #expect(rule.tick(at: 999) == [])
    }

    @Test("an answer after SIGCONT counts; a later one does not")
    func recovers() {
        var rule = Self.living()
        _ = rule.tick(at: 30)
        _ = rule.tick(at: 60)
        rule.heard(at: 61)
        #expect(rule.next == 91)
        #expect(rule.tick(at: 91) == [.ping])
        _ = rule.tick(at: 121)
        _ = rule.tick(at: 151)
        rule.heard(at: 152)
        #expect(rule.tick(at: 181) == [.kill])
    }

    @Test("a new host has more time until its first answer")
    func starting() {
        var rule = HostLifeRule(Self.timeouts, startedAt: 5)
        #expect(rule.next == 305)
        #expect(rule.tick(at: 304) == [])
        #expect(rule.tick(at: 305) == [.resume, .ping])
    }

    @Test("a stopped host is continued at once, but not without end")
    func stopped() {
        var rule = Self.living()
        #expect(rule.stopped(at: 1) == [.resume])
        #expect(rule.stopped(at: 10) == [])
        #expect(rule.stopped(at: 11) == [.resume])
    }

    @Test("a host that does not end in time after SIGTERM is killed, even if it answers")
    func ending() {
        var rule = Self.living()
        rule.ending(at: 10)
        rule.ending(at: 150)
        for date: Int64 in stride(from: 30, to: 210, by: 30) {
            #expect(rule.tick(at: date) == [.ping])
            rule.heard(at: date)
        }
        #expect(rule.next == 210)
        #expect(rule.tick(at: 210) == [.kill])
    }

    @Test("instants at the end of time do not overflow")
    func extremes() {
        var rule = HostLifeRule(Self.timeouts, startedAt: .max)
        #expect(rule.next == .max)
        rule.heard(at: .max)
        rule.ending(at: .max)
        #expect(rule.stopped(at: .max) == [.resume])
    }
}
