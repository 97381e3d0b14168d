// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BGRunDaemon

@Suite("The rule of the hosts that the daemon runs", .timeLimit(.minutes(10)))
struct HostsRuleTests {
    private static let second: Int64 = 1_000_000_000

    /// A daemon with the hosts `a` and `b`, of different apps.
    private func started() -> HostsRule {
        var rule = HostsRule()
        _ = rule.handle(.listed(["a", "b"]), at: 0)
        _ = rule.handle(.looked("a", app: "A"), at: 0)
        _ = rule.handle(.looked("b", app: "B"), at: 0)
        return rule
    }

    @Test("manifests are examined in turn and hosted; a removed manifest ends its host")
    func listed() {
        var rule = HostsRule()
        #expect(rule.handle(.listed(["a", "b"]), at: 0) == [.look("a")])
        #expect(!rule.isSettled)
        #expect(rule.handle(.looked("a", app: "A"), at: 0) == [.start("a"), .look("b")])
        #expect(rule.handle(.looked("b", app: "B"), at: 0) == [.start("b")])
        #expect(rule.isSettled)
        #expect(rule.handle(.listed(["a", "b"]), at: 1) == [])
        #expect(rule.handle(.listed(["b", "c"]), at: 2) == [.terminate("a"), .look("c")])
        #expect(rule.handle(.ended("a", .exit(0)), at: 3) == [])
    }

    @Test("a manifest that is removed and restored before its host has ended is hosted again")
    func back() {
        var rule = started()
        #expect(rule.handle(.listed(["b"]), at: 1) == [.terminate("a")])
        #expect(rule.handle(.listed(["a", "b"]), at: 2) == [])
        #expect(rule.handle(.ended("a", .exit(0)), at: 3) == [.look("a")])
        #expect(rule.handle(.looked("a", app: "A"), at: 3) == [.start("a")])
        #expect(rule.handle(.listed(["b"]), at: 4) == [.terminate("a")])
        #expect(rule.handle(.listed(["a", "b"]), at: 5) == [])
        #expect(rule.handle(.listed(["b"]), at: 6) == [])
        #expect(rule.handle(.ended("a", .exit(0)), at: 7) == [])
    }

    @Test("of two manifests of an app the first by name is hosted, the other after its removal")
    func twins() {
        var rule = HostsRule()
        #expect(rule.handle(.listed(["a", "b"]), at: 0) == [.look("a")])
        #expect(rule.handle(.looked("a", app: "A"), at: 0) == [.start("a"), .look("b")])
        #expect(
            rule.handle(.looked("b", app: "A"), at: 0) == [.leaveTwin("b", app: "A", of: "a")])
        #expect(rule.handle(.listed(["b"]), at: 1) == [.terminate("a")], "its host still runs")
        #expect(rule.handle(.ended("a", .exit(0)), at: 2) == [.look("b")])
        #expect(rule.handle(.looked("b", app: "A"), at: 3) == [.start("b")])
    }

    @Test("an app whose host waits to be restarted is not given to another manifest")
    func keptApp() {
        var rule = HostsRule()
        _ = rule.handle(.listed(["b"]), at: 0)
        _ = rule.handle(.looked("b", app: "A"), at: 0)
        #expect(rule.handle(.listed(["a", "b"]), at: 1) == [.look("a")])
        #expect(
            rule.handle(.looked("a", app: "A"), at: 1) == [.leaveTwin("a", app: "A", of: "b")])
        let date = 2 + Self.second
        #expect(
            rule.handle(.ended("b", .signal(9)), at: 2) == [
                .retry("b", .signal(9), at: date), .wake(at: date),
            ])
        #expect(rule.handle(.timer, at: date) == [.look("b"), .wake(at: nil)])
        #expect(rule.handle(.looked("b", app: "A"), at: date) == [.start("b")])
        #expect(
            rule.handle(.ended("b", .exit(65)), at: date + 1)
                == [.leaveAside("b", .exit(65)), .look("a")])
    }

    @Test("a second manifest of an app is hosted when it names another app")
    func twinChanged() {
        var rule = HostsRule()
        _ = rule.handle(.listed(["a", "b"]), at: 0)
        _ = rule.handle(.looked("a", app: "A"), at: 0)
        _ = rule.handle(.looked("b", app: "A"), at: 0)
        #expect(rule.handle(.changed("b"), at: 1) == [.look("b")])
        #expect(rule.handle(.looked("b", app: "B"), at: 1) == [.start("b")])
    }

    @Test("a manifest that changes while it is examined is examined again in its turn")
    func turns() {
        var rule = HostsRule()
        #expect(rule.handle(.listed(["a", "b", "c"]), at: 0) == [.look("a")])
        _ = rule.handle(.changed("a"), at: 1)
        #expect(rule.handle(.ended("a", .exit(65)), at: 2) == [.look("b")])
        #expect(rule.handle(.looked("b", app: "B"), at: 3) == [.start("b"), .look("c")])
        #expect(rule.handle(.looked("c", app: "C"), at: 4) == [.start("c"), .look("a")])
    }

    @Test("an examination that ends while it is being stopped delays nothing")
    func lateLook() {
        var rule = HostsRule()
        #expect(rule.handle(.listed(["a"]), at: 0) == [.look("a")])
        #expect(rule.handle(.listed([]), at: 1) == [.terminate("a")])
        #expect(rule.handle(.listed(["a"]), at: 2) == [])
        #expect(rule.handle(.looked("a", app: "A"), at: 3) == [.look("a")])
        #expect(rule.handle(.shutdown, at: 4) == [.terminate("a")])
        #expect(rule.handle(.looked("a", app: "A"), at: 5) == [.finish])
    }

    @Test("a manifest whose owner changes is hosted again when its host has ended")
    func owner() {
        var rule = started()
        #expect(rule.handle(.changedOwner("a"), at: 1) == [.terminate("a")])
        #expect(rule.handle(.ended("a", .exit(0)), at: 2) == [.look("a")])
    }

    @Test(
        "an invalid manifest is ignored until it changes", arguments: [64, 65, 66, 77] as [Int32])
    func aside(code: Int32) {
        var rule = started()
        #expect(
            rule.handle(.ended("a", .exit(code)), at: 1) == [.leaveAside("a", .exit(code))])
        #expect(rule.handle(.listed(["a", "b"]), at: 2) == [])
        #expect(rule.handle(.changed("a"), at: 3) == [.look("a")])
        #expect(rule.handle(.changed("b"), at: 4) == [], "a host that runs notices by itself")
        #expect(
            rule.handle(.ended("a", .exit(code)), at: 5) == [.leaveAside("a", .exit(code))],
            "also when it could not even be looked at")
    }

    @Test("a manifest that is written while it is read is read again")
    func partial() {
        var rule = started()
        #expect(rule.handle(.changed("a"), at: 1) == [])
        #expect(rule.handle(.ended("a", .exit(65)), at: 2) == [.look("a")])
        #expect(rule.handle(.changed("a"), at: 3) == [])
        #expect(rule.handle(.looked("a", app: "A"), at: 4) == [.look("a")])
        #expect(
            rule.handle(.ended("a", .exit(65)), at: 5) == [.leaveAside("a", .exit(65))])
    }

    @Test(
        "a host that ends on its own is restarted after 1 s, doubled each time up to 5 min",
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
            #expect(rule.handle(.timer, at: date) == [.look("a"), .wake(at: nil)])
            #expect(rule.handle(.looked("a", app: "A"), at: date) == [.start("a")])
            now = date
        }
        now += HostsRule.longestDelay
        #expect(
            rule.handle(.ended("a", end), at: now).first == .retry("a", end, at: now + Self.second))
        #expect(rule.handle(.changed("a"), at: now) == [.look("a"), .wake(at: nil)])
    }

    @Test("a shutdown ends every host and then the daemon, and starts none")
    func shutdown() {
        var rule = started()
        _ = rule.handle(.ended("b", .exit(65)), at: 1)
        #expect(rule.handle(.changed("b"), at: 1) == [.look("b")])
        #expect(rule.handle(.shutdown, at: 2) == [.terminate("a"), .terminate("b")])
        #expect(rule.handle(.listed(["a", "b", "c"]), at: 3) == [])
        #expect(rule.handle(.ended("b", .signal(15)), at: 4) == [])
        #expect(rule.handle(.ended("a", .signal(9)), at: 4) == [.finish])
        var empty = HostsRule()
        #expect(empty.handle(.shutdown, at: 0) == [.finish])
    }

    @Test(
        "a manifest that changes while its host waits to be restarted starts with the first delay")
    func changedWhileWaiting() {
        var rule = started()
        #expect(
            rule.handle(.ended("a", .signal(9)), at: 0).first
                == .retry("a", .signal(9), at: Self.second))
        #expect(rule.handle(.timer, at: Self.second).first == .look("a"))
        #expect(rule.handle(.looked("a", app: "A"), at: Self.second) == [.start("a")])
        let date = 3 * Self.second
        #expect(
            rule.handle(.ended("a", .signal(9)), at: Self.second).first
                == .retry("a", .signal(9), at: date))
        #expect(rule.handle(.changed("a"), at: date - 1).first == .look("a"))
        #expect(rule.handle(.looked("a", app: "A"), at: date) == [.start("a")])
        #expect(
            rule.handle(.ended("a", .signal(9)), at: date).first
                == .retry("a", .signal(9), at: date + Self.second))
    }
}
