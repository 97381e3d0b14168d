// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BGRunDaemon

@Suite("Which hosts the daemon runs")
struct HostsRuleTests {
    private static let second: Int64 = 1_000_000_000

    private func started() -> HostsRule {
        var rule = HostsRule()
        _ = rule.handle(.listed(["a", "b"]), at: 0)
        return rule
    }

    @Test("a manifest that comes up is hosted, one that goes ends its host")
    func listed() {
        var rule = HostsRule()
        #expect(rule.handle(.listed(["a", "b"]), at: 0) == [.start("a"), .start("b")])
        #expect(rule.handle(.listed(["a", "b"]), at: 1) == [])
        #expect(rule.handle(.listed(["b", "c"]), at: 2) == [.start("c"), .terminate("a")])
        #expect(rule.handle(.ended("a", .exit(0)), at: 3) == [])
    }

    @Test("one that is gone and comes back before its host has ended is hosted again after that")
    func back() {
        var rule = started()
        #expect(rule.handle(.listed(["b"]), at: 1) == [.terminate("a")])
        #expect(rule.handle(.listed(["a", "b"]), at: 2) == [])
        #expect(rule.handle(.ended("a", .exit(0)), at: 3) == [.start("a")])
        #expect(rule.handle(.listed(["b"]), at: 4) == [.terminate("a")])
        #expect(rule.handle(.listed(["a", "b"]), at: 5) == [])
        #expect(rule.handle(.listed(["b"]), at: 6) == [])
        #expect(rule.handle(.ended("a", .exit(0)), at: 7) == [])
    }

    @Test(
        "a bad manifest is left aside until it is changed", arguments: [64, 65, 66, 77] as [Int32])
    func aside(code: Int32) {
        var rule = started()
        #expect(
            rule.handle(.ended("a", .exit(code)), at: 1) == [.leaveAside("a", .exit(code))])
        #expect(rule.handle(.listed(["a", "b"]), at: 2) == [])
        #expect(rule.handle(.changed("a"), at: 3) == [.start("a")])
        #expect(rule.handle(.changed("b"), at: 4) == [], "a host that runs notices by itself")
    }

    @Test("a manifest that is written while its host reads it is read once more")
    func partial() {
        var rule = started()
        #expect(rule.handle(.changed("a"), at: 1) == [])
        #expect(rule.handle(.ended("a", .exit(65)), at: 2) == [.start("a")])
        #expect(
            rule.handle(.ended("a", .exit(65)), at: 3) == [.leaveAside("a", .exit(65))])
    }

    @Test(
        "a host that ends unasked is started again after 1 s, each time twice as long, at most 5 min",
        arguments: [.exit(74), .exit(0), .signal(9)] as [HostsRule.End])
    func retried(end: HostsRule.End) {
        var rule = started()
        var now: Int64 = 0
        for seconds in [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300] as [Int64] {
            let date = now + seconds * Self.second
            #expect(
                rule.handle(.ended("a", end), at: now) == [
                    .retry("a", end, at: date), .wake(at: date),
                ])
            #expect(rule.handle(.timer, at: date - 1) == [])
            #expect(rule.handle(.timer, at: date) == [.start("a"), .wake(at: nil)])
            now = date
        }
        now += HostsRule.longestDelay
        #expect(
            rule.handle(.ended("a", end), at: now).first == .retry("a", end, at: now + Self.second))
        #expect(rule.handle(.changed("a"), at: now) == [.start("a"), .wake(at: nil)])
    }

    @Test("a shutdown ends every host and then the daemon, and starts none")
    func shutdown() {
        var rule = started()
        _ = rule.handle(.ended("b", .exit(65)), at: 1)
        #expect(rule.handle(.shutdown, at: 2) == [.terminate("a")])
        #expect(rule.handle(.listed(["a", "b", "c"]), at: 3) == [])
        #expect(rule.handle(.ended("a", .signal(9)), at: 4) == [.finish])
        var empty = HostsRule()
        #expect(empty.handle(.shutdown, at: 0) == [.finish])
    }
}
