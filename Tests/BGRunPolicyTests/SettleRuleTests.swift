// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BGRunPolicy

@Suite("Settle windows", .timeLimit(.minutes(5)))
final class SettleRuleTests {
    /// Windows in seconds for gain and loss: power 10 and 2, network 20 and 5, idleness 30 and 0.
    private static let policy: Policy = {
        var policy = Policy.apple
        policy.powerSettle = SettleRule.Window(gained: .seconds(10), lost: .seconds(2))
        policy.networkSettle = SettleRule.Window(gained: .seconds(20), lost: .seconds(5))
        policy.idleSettle = SettleRule.Window(gained: .seconds(30), lost: .zero)
        return policy
    }()

    private var rule = SettleRule()

    private func power(_ reading: Reading, at second: Int64) -> Reading {
        settle(DeviceState(externalPower: reading), at: second).externalPower
    }

    private func settle(_ state: DeviceState, at second: Int64) -> DeviceState {
        rule.settle(state, at: Interval.seconds(second).nanoseconds, policy: Self.policy)
    }

    private var nextChange: Int64? { rule.nextChange.map { $0 / 1_000_000_000 } }

    @Test("the first state counts at once")
    func first() {
        #expect(power(.yes, at: 0) == .yes)
        #expect(nextChange == nil)
    }

    @Test("a condition gained counts once it has held")
    func gained() {
        _ = power(.no, at: 0)
        #expect(power(.yes, at: 5) == .no)
        #expect(nextChange == 15)
        #expect(power(.yes, at: 14) == .no)
        #expect(power(.yes, at: 15) == .yes)
        #expect(nextChange == nil)
    }

    @Test("a condition lost counts after its own, shorter window")
    func lost() {
        _ = power(.yes, at: 0)
        #expect(power(.no, at: 5) == .yes)
        #expect(nextChange == 7)
        #expect(power(.no, at: 7) == .no)
    }

    @Test("a change that is reversed in time never counts")
    func takenBack() {
        _ = power(.no, at: 0)
        _ = power(.yes, at: 1)
        _ = power(.no, at: 2)
        #expect(nextChange == nil)
        #expect(power(.yes, at: 3) == .no)
        #expect(nextChange == 13)
    }

    @Test("a cable that flaps quickly neither starts nor ends anything")
    func flapping() {
        _ = power(.no, at: 0)
        for second in 1...600 {
            #expect(power(second.isMultiple(of: 9) ? .no : .yes, at: Int64(second)) == .no)
        }
        var steady = SettleRule()
        _ = steady.settle(DeviceState(externalPower: .yes), at: 0, policy: Self.policy)
        for second in 1...600 {
            let reading: Reading = second.isMultiple(of: 2) ? .no : .yes
            let settled = steady.settle(
                DeviceState(externalPower: reading),
                at: Interval.seconds(Int64(second)).nanoseconds, policy: Self.policy)
            #expect(settled.externalPower == .yes)
        }
    }

    @Test("a cable that flaps slowly causes at most one start for each window it held")
    func slowFlapping() {
        var changes = 0
        var last = power(.no, at: 0)
        for second in 1...1_200 {
            let now = power((second / 12).isMultiple(of: 2) ? .no : .yes, at: Int64(second))
            changes += now == last ? 0 : 1
            last = now
        }
        #expect(changes == 99)
    }

    @Test("unknown equals no, and is a loss after yes")
    func unknown() {
        #expect(power(.no, at: 0) == .no)
        #expect(power(.unknown, at: 1) == .unknown)
        #expect(power(.no, at: 2) == .no)
        _ = power(.yes, at: 3)
        #expect(power(.yes, at: 13) == .yes)
        #expect(power(.unknown, at: 14) == .yes)
        #expect(power(.no, at: 15) == .yes)
        #expect(power(.unknown, at: 16) == .unknown)
    }

    @Test("a network that becomes metered counts at once; one that becomes unmetered settles")
    func metered() {
        func state(_ metered: Reading) -> DeviceState {
            DeviceState(network: .yes, networkMetered: metered)
        }
        _ = settle(state(.no), at: 0)
        #expect(settle(state(.yes), at: 1).networkMetered == .yes)
        #expect(settle(state(.no), at: 2).networkMetered == .yes)
        #expect(settle(state(.no), at: 22).networkMetered == .no)
    }

    @Test("a network and its metering are lost at the same time")
    func price() {
        _ = settle(DeviceState(network: .yes, networkMetered: .no), at: 0)
        let before = settle(DeviceState(network: .no), at: 1)
        #expect((before.network, before.networkMetered) == (.yes, .no))
        let after = settle(DeviceState(network: .no), at: 6)
        #expect((after.network, after.networkMetered) == (.no, .unknown))
    }

    @Test("a network that turns out to be metered ends its wait")
    func paid() {
        _ = settle(DeviceState(network: .yes, networkMetered: .no), at: 0)
        _ = settle(DeviceState(network: .no), at: 1)
        let metered = settle(DeviceState(network: .yes, networkMetered: .yes), at: 2)
        #expect((metered.network, metered.networkMetered) == (.yes, .yes))
    }

    @Test("each reading settles by itself, and the next change is the earliest of them")
    func each() {
        _ = settle(DeviceState(externalPower: .no, network: .no, userIdle: .no), at: 0)
        let all = DeviceState(externalPower: .yes, network: .yes, userIdle: .yes)
        _ = settle(all, at: 1)
        #expect(nextChange == 11)
        let later = settle(all, at: 11)
        #expect((later.externalPower, later.network, later.userIdle) == (.yes, .no, .no))
        #expect(nextChange == 21)
        let last = settle(all, at: 31)
        #expect((last.network, last.userIdle) == (.yes, .yes))
        #expect(settle(DeviceState(userIdle: .no), at: 32).userIdle == .no)
    }

    @Test("after sleep a gain must last again, and a loss counts at once")
    func restart() {
        let before = DeviceState(externalPower: .yes, network: .yes, networkMetered: .no)
        _ = settle(before, at: 0)
        rule.restart()
        let after = settle(before, at: 5)
        #expect(after.satisfiedConditions(policy: Self.policy) == [])
        #expect(nextChange == 15)
        #expect(settle(before, at: 15).externalPower == .yes)
        #expect(settle(before, at: 25) == before)
        rule.restart()
        #expect(settle(DeviceState(externalPower: .no), at: 30).externalPower == .no)
        #expect(nextChange == nil)
    }

    @Test("after sleep idleness must last for the whole window again")
    func restartIdle() {
        let away = DeviceState(userIdle: .yes)
        _ = settle(away, at: 0)
        rule.restart()
        #expect(settle(away, at: 5).userIdle != .yes)
        #expect(nextChange == 35)
        #expect(settle(away, at: 35).userIdle == .yes)
    }

    @Test("readings without a condition pass through")
    func others() {
        _ = settle(DeviceState(batteryPercent: 80, storageLow: .no), at: 0)
        let state = DeviceState(
            batteryPercent: 10, lowPowerMode: .yes, storageLow: .yes, thermal: .serious,
            pressure: .yes, gpu: .yes)
        #expect(settle(state, at: 1) == state)
    }

    @Test("a window at the end of time never ends and never crashes")
    func endOfTime() {
        _ = rule.settle(DeviceState(externalPower: .no), at: .max - 1, policy: Self.policy)
        let settled = rule.settle(
            DeviceState(externalPower: .yes), at: .max - 1, policy: Self.policy)
        #expect(settled.externalPower == .no)
        #expect(rule.nextChange == .max)
    }

    @Test("a charge at the low gate does not start and end work alternately")
    func charge() {
        let charges = [21, 20, 19, 20, 22, 21, 23, 20, 19, 22]
        let settled = charges.enumerated().map {
            settle(DeviceState(batteryPercent: $1), at: Int64($0)).batteryPercent
        }
        #expect(settled == [21, 20, 19, 19, 19, 19, 23, 20, 19, 19])
        #expect(settle(DeviceState(), at: 20).batteryPercent == nil)
        #expect(settle(DeviceState(batteryPercent: 22), at: 21).batteryPercent == 19)
        #expect(nextChange == nil, "a charge changes only when the device says so")
    }

    @Test("a gate of 100 % is left when the battery is full, one of 0 % is never reached")
    func gates() {
        var policy = Policy.apple
        for (gate, charges, settled) in [
            (100, [99, 100], [99, 100]), (0, [0, 1], [0, 1]), (98, [90, 99, 100], [90, 97, 100]),
        ] {
            policy.lowBatteryPercent = gate
            var rule = SettleRule()
            #expect(
                charges.map {
                    rule.settle(DeviceState(batteryPercent: $0), at: 0, policy: policy)
                        .batteryPercent
                } == settled)
        }
    }
}
