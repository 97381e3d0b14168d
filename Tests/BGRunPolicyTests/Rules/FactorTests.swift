// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Scheduling factors", .timeLimit(.minutes(5)))
struct FactorTests {
    /// Factors, and events that make them block.
    static let blockers: [(Factor, Event)] = [
        (.appSwitcher, .appForceQuit(ticket: nil)),
        (.refreshSwitch, .refreshSwitch(.denied, ticket: nil)),
        (.refreshSwitch, .refreshSwitch(.restricted, ticket: nil)),
        (.criticalBattery, .deviceChanged(DeviceState(externalPower: .no, batteryPercent: 19))),
        (.lowPowerMode, .deviceChanged(DeviceState(lowPowerMode: .yes))),
        (.thermal, .deviceChanged(DeviceState(thermal: .serious))),
    ]

    @Test("a factor delays only the kinds to which it applies", arguments: blockers)
    func matrix(factor: Factor, event: Event) {
        for kind in TaskKind.allCases {
            var policy = Policy.apple
            policy.starvationDeadline = .days(2)
            var world = World([.task("a", kind: kind)], policy: policy)
            world.handle(event)
            world.submit("a")
            #expect(world.isRunning("a") != kind.factors.contains(factor), "\(kind)")
            if kind.factors.contains(factor) {
                #expect(
                    world.engine.pendingReason("a", at: world.wall)
                        == .factor(factor, until: nil), "\(kind)")
            }
        }
    }

    @Test("contention delays every kind until the timeout ends")
    func pressure() {
        for kind in TaskKind.allCases {
            var world = World([.task("a", kind: kind)], device: DeviceState(pressure: .no))
            world.handle(.deviceChanged(DeviceState(pressure: .yes)))
            world.submit("a")
            #expect(
                world.reason("a")
                    == .factor(.pressure, until: world.wall.advanced(by: .minutes(10))), "\(kind)")
        }
    }

    @Test(
        "the factors of each kind are those of the matrix",
        arguments: [
            (.appRefresh, [.criticalBattery, .lowPowerMode, .appUsage, .budget, .rateLimit]),
            (.push, [.criticalBattery, .lowPowerMode, .budget, .rateLimit]),
            (.transfer, [.budget, .rateLimit]),
            (
                .processing,
                [.criticalBattery, .appUsage, .rateLimit, .powerPreference, .userActivity]
            ),
        ] as [(TaskKind, Set<Factor>)])
    func kinds(kind: TaskKind, factors: Set<Factor>) {
        #expect(
            Set(kind.factors)
                == factors.union([.appSwitcher, .refreshSwitch, .thermal, .pressure]))
    }

    @Test("power overrides a critically low battery, and an unknown charge is not low")
    func criticalBattery() {
        for (percent, power, blocked) in [
            (Int?(19), Reading.no, true), (19, .unknown, true), (19, .yes, false), (20, .no, false),
            (nil, .no, false),
        ] {
            let device = DeviceState(externalPower: power, batteryPercent: percent)
            #expect(
                (device.criticalBatteryVerdict(policy: .apple) != .satisfied) == blocked,
                "\(percent as Any) \(power)")
        }
    }

    @Test("an unknown reading delays only tasks that require it")
    func unknown() {
        for kind in TaskKind.allCases {
            var world = World([.task("a", kind: kind)], device: DeviceState())
            world.submit("a")
            #expect(world.isRunning("a"), "\(kind)")
        }
    }

    @Test("a force-quit app runs nothing until it is opened, and its attempts end")
    func forceQuit() throws {
        var world = World([
            .task("a"), .task("b", kind: .continued), .task("c", kind: .continued), .task("d"),
        ])
        for identifier in ["a", "b", "c"] { world.submit(identifier) }
        #expect(world.isPending("c"))
        world.handle(.appForceQuit(ticket: 7))
        #expect(world.reply == .noted)
        #expect(world.expired == [.cancelled, .cancelled])
        #expect(!world.isPending("c"))
        world.submit("d")
        world.end("a", .expired(.cancelled, reported: nil))
        world.handle(.timer, after: .days(300))
        #expect(!world.isRunning("d"))
        world.handle(.appOpened(ticket: 7))
        #expect(world.launched == ["d"])
    }

    @Test("an app opened after a force quit submits its launch tasks; an open app does not")
    func openedAgain() {
        var world = World([.task("a", submission: .launch)])
        world.handle(.start)
        #expect(world.launched == ["a"])
        world.end("a")
        world.handle(.appOpened(ticket: nil))
        #expect(world.launched == [])
        world.handle(.appForceQuit(ticket: nil))
        #expect(world.launched == [])
        world.handle(.appOpened(ticket: nil), after: .hours(1))
        #expect(world.launched == ["a"])
    }

    @Test(
        "processing requires an app opened in the past two weeks, or with unknown uses",
        arguments: [(Int64(14), true), (15, false)])
    func usage(days: Int64, runs: Bool) {
        var world = World([.task("a")])
        world.handle(.appOpened(ticket: nil))
        world.handle(.timer, after: .days(days))
        world.submit("a")
        #expect(world.isRunning("a") == runs)
        if !runs {
            #expect(
                world.engine.pendingReason("a", at: world.wall) == .factor(.appUsage, until: nil))
            world.handle(.appOpened(ticket: nil))
            #expect(world.launched == ["a"])
        }
    }

    @Test("the pushes of an hour are restored in order, also more than ten")
    func pushes() {
        var facts = AppFacts()
        facts.pushLaunches = (0..<12).map { WallTime(milliseconds: 1_000 + $0) }
        #expect(AppFacts(entries: facts.entries) == facts)
    }

    @Test("facts of the app are restored from the store")
    func facts() {
        var world = World([
            .task("a", kind: .appRefresh), .task("b", kind: .push),
            .task("c", timeLimit: .seconds(1)),
        ])
        for _ in 0..<3 { world.handle(.appOpened(ticket: nil), after: .hours(25)) }
        world.handle(.refreshSwitch(.denied, ticket: nil))
        world.handle(.refreshSwitch(.available, ticket: nil))
        for identifier in ["a", "b", "c"] { world.submit(identifier) }
        world.end("a", after: .seconds(20))
        world.end("c", .expired(.time, reported: nil))
        world.handle(.appForceQuit(ticket: nil))
        let facts = world.engine.appFacts
        #expect(facts.isForceQuit && facts.missedCompletions == ["c": 1])
        // The budget that both attempts have spent.
        #expect(facts.budget.spent == .seconds(40) && facts.pushLaunches.count == 1)
        #expect(AppFacts(entries: world.remembered.map { Fact($0.key, $0.value) }) == facts)
        #expect(AppFacts(entries: facts.entries) == facts)
        world.handle(.appOpened(ticket: nil))
        #expect(world.remembered["force-quit"] == nil)
    }
}
