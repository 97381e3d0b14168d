// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import Foundation

@testable import BGRunSimulation

/// The declarations of a manifest and a scenario, generated from a seed.
struct RandomScenario {
    let configuration: Engine.Configuration
    let scenario: Scenario
    private var random: SeededGenerator

    init(seed: UInt64, zones: [ZoneRules]) {
        var random = SeededGenerator(seed: seed)
        var policy: Policy = Bool.random(using: &random) ? .apple : .server
        policy.concurrentAttempts = Int.random(in: 1...3, using: &random)
        let declarations = (0..<Int.random(in: 1...8, using: &random)).map {
            Self.declaration($0, using: &random)
        }
        configuration = Engine.Configuration(
            permitted: ["t.*"], declarations: declarations, modes: Set(Mode.allCases),
            policy: policy)
        let days = Int64.random(in: 1...6, using: &random)
        var script = DeviceScript()
        script.power = Self.layers(false, [true, false], days, using: &random)
        script.network = Self.layers(.none, NetworkKind.allCases, days, using: &random)
        script.idle = Self.layers(false, [true, false], days, using: &random)
        script.plain["storage"] = Self.layers(false, [true, false], days, using: &random)
        script.battery = .rates(
            start: Int.random(in: 0...100, using: &random),
            lasts: .hours(Int64.random(in: 2...40, using: &random)),
            lastsSuspended: .hours(Int64.random(in: 2...400, using: &random)),
            chargesIn: .hours(Int64.random(in: 1...5, using: &random)))
        let windows = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            Self.window(days, using: &random)
        }
        scenario = Scenario(
            name: "random",
            start: CivilTime(seconds: Int64.random(in: 0...2_000_000_000, using: &random)),
            zone: zones.randomElement(using: &random) ?? .utc, duration: .days(days), seed: seed,
            jitter: .minutes(Int64.random(in: 0...60, using: &random)), device: script,
            suspended: windows,
            events: (0..<Int.random(in: 0...30, using: &random)).map { _ in
                Self.event(days, using: &random)
            },
            handlers: ["*": Self.model(using: &random)])
        self.random = random
    }

    private static func declaration(
        _ index: Int, using random: inout SeededGenerator
    ) -> TaskDeclaration {
        let isRetried = Bool.random(using: &random)
        return TaskDeclaration(
            identifier: "t.\(index)",
            kind: TaskKind.allCases.randomElement(using: &random) ?? .push,
            requires: Conditions(
                rawValue: UInt8.random(in: 0..<64, using: &random)
                    & UInt8.random(in: 0..<64, using: &random)),
            earliest: .minutes([0, 0, 15, 90].randomElement(using: &random) ?? 0),
            schedule: schedules.randomElement(using: &random) ?? nil,
            submission: Bool.random(using: &random) ? .launch : .manual,
            timeLimit: .seconds(Int64.random(in: 1...3_000, using: &random)),
            grace: .seconds(Int64.random(in: 0...5, using: &random)),
            retry: isRetried ? RetryRule(from: .seconds(30), to: .hours(1)) : nil,
            overlap: Overlap.allCases.randomElement(using: &random) ?? .queue)
    }

    private static let schedules: [Schedule?] = {
        let zone = (try? ZoneRules.named("America/Santiago")) ?? .utc
        let seeds = CronSeeds(machine: "m", identifier: "i")
        let rules = [
            (try? CronSchedule("*/20 1-4 * * *", seeds: seeds)).map(CalendarSchedule.Rule.cron),
            (try? SystemdCalendar.Expression("Mon..Sat 0/6:30")).map { .systemd($0.calendar) },
        ]
        return [nil, .every(.minutes(7)), .every(.hours(3)), .every(.hours(2), flex: .minutes(40))]
            + rules.compactMap { $0 }.map {
                .calendar(
                    CalendarSchedule([CalendarSchedule.Entry($0, in: zone, text: "random")]))
            }
    }()

    private static func layers<Value>(
        _ base: Value, _ values: [Value], _ days: Int64, using random: inout SeededGenerator
    ) -> Layers<Value> {
        Layers(
            base,
            (0..<Int.random(in: 0...4, using: &random)).map { _ in
                Layers<Value>.Layer(
                    value: values.randomElement(using: &random) ?? base,
                    window: window(days, using: &random))
            })
    }

    private static func window(_ days: Int64, using random: inout SeededGenerator) -> Window {
        Window(
            begins: recurrence(days, using: &random),
            end: .lasting(.minutes(Int64.random(in: 1...600, using: &random))))
    }

    private static func recurrence(
        _ days: Int64, using random: inout SeededGenerator
    ) -> Recurrence {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: .once(.offset(.minutes(Int64.random(in: 0...(days * 1_440), using: &random))))
        case 1:
            .daily(
                Set(Weekday.allCases.filter { _ in Bool.random(using: &random) }),
                second: Int64.random(in: 0..<86_400, using: &random))
        default:
            .every(
                .minutes(Int64.random(in: 20...1_000, using: &random)),
                from: .minutes(Int64.random(in: 0...600, using: &random)))
        }
    }

    private static func event(
        _ days: Int64, using random: inout SeededGenerator
    ) -> ScriptedEvent {
        let identifier = "t.\(Int.random(in: 0...8, using: &random))"
        let deed: ScriptedEvent.ScenarioAction =
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<5:
                .submit(
                    Submission(
                        identifier: identifier,
                        delay: .minutes(Int64.random(in: 0...300, using: &random))))
            case 5: .cancel(identifier)
            case 6: .trigger(identifier)
            case 7: .expire(identifier)
            case 8: .openApp
            case 9: .forceQuit
            case 10: .setClock(.hours(Int64.random(in: -8_766...8_766, using: &random)))
            default: .setClock(.minutes(Int64.random(in: -90...90, using: &random)))
            }
        return ScriptedEvent(when: recurrence(days, using: &random), deed: deed)
    }

    private static func model(using random: inout SeededGenerator) -> HandlerModel {
        let mean = Interval.seconds(Int64.random(in: 1...2_000, using: &random))
        return HandlerModel(
            takes: [
                .constant(mean), .exponential(mean: mean), .normal(mean: mean, deviation: mean),
            ]
            .randomElement(using: &random) ?? .constant(mean),
            failureProbability: Double(Int.random(in: 0...4, using: &random)) / 4,
            stopsIn: [nil, .zero, .seconds(2), .seconds(60)].randomElement(using: &random) ?? nil,
            checkpoint: [.never, .whenTold, .every(.seconds(45))].randomElement(using: &random)
                ?? .never)
    }
}
