// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("A forecast", .timeLimit(.minutes(5)))
struct ForecastTests {
    private static func date(_ second: Int64) -> WallTime {
        WallTime(milliseconds: 1_790_000_000_000 + second * 1_000)
    }

    private static let now = Instant(elapsed: 7_000_000_000, wall: date(0))

    private static func engine(_ declarations: [TaskDeclaration]) -> Engine {
        var engine = Engine(
            Engine.Configuration(
                permitted: declarations.map(\.identifier), declarations: declarations,
                modes: Set(Mode.allCases), policy: .server), device: DeviceState())
        var random = SplitMix(seed: 1)
        _ = engine.handle(.start, at: now, using: &random)
        return engine
    }

    @Test("launches exactly the requests that are due until then, and does not change the engine")
    func launches() {
        let engine = Self.engine([
            TaskDeclaration(identifier: "soon", kind: .processing, earliest: .seconds(10)),
            TaskDeclaration(identifier: "later", kind: .processing, earliest: .seconds(30)),
            TaskDeclaration(
                identifier: "blocked", kind: .processing, requires: .externalPower,
                earliest: .seconds(10)),
        ])
        let forecast = engine.forecast(to: Self.date(20), from: Self.now)
        #expect(forecast.launches.map(\.request.identifier) == ["soon"])
        #expect(forecast.launches.map(\.launched.wall) == [Self.date(10)])
        #expect(forecast.reached == Self.date(20))
        #expect(
            forecast.engine.pendingReason("later", at: forecast.reached)
                == .notBefore(Self.date(30)))
        #expect(
            forecast.engine.pendingReason("blocked", at: forecast.reached)
                == .conditions(.externalPower))
        #expect(engine.pendingCount == 3 && engine.hasNoAttempt)
    }

    @Test("may start with events, as those of a host that starts")
    func after() {
        let engine = Self.engine([
            TaskDeclaration(identifier: "manual", kind: .processing, submission: .manual)
        ])
        let submit = Event.submit(
            Submission(identifier: "manual", delay: .seconds(60)), ticket: nil)
        let forecast = engine.forecast(to: Self.date(60), from: Self.now, after: [submit])
        #expect(forecast.launches.map(\.request.identifier) == ["manual"])
        #expect(engine.forecast(to: Self.date(60), from: Self.now).launches.isEmpty)
    }

    @Test("completes attempts at once, so that a periodic task is launched repeatedly")
    func periodic() {
        var engine = Self.engine([
            TaskDeclaration(
                identifier: "hourly", kind: .appRefresh, schedule: .every(.hours(1)),
                timeLimit: .seconds(30)),
            TaskDeclaration(identifier: "running", kind: .processing, submission: .manual),
        ])
        var random = SplitMix(seed: 1)
        _ = engine.handle(
            .submit(Submission(identifier: "running"), ticket: nil), at: Self.now, using: &random)
        #expect(!engine.hasNoAttempt)
        let forecast = engine.forecast(to: Self.date(86_400), from: Self.now)
        #expect((23...24).contains(forecast.launches.count))
        #expect(forecast.reached == Self.date(86_400))
        #expect(forecast.engine.hasNoAttempt && forecast.engine.pendingCount == 1)
    }

    @Test("stops at its limit, and reports where")
    func bounded() {
        let engine = Self.engine([
            TaskDeclaration(
                identifier: "often", kind: .processing, schedule: .every(.seconds(5)),
                timeLimit: .seconds(1))
        ])
        let forecast = engine.forecast(to: Self.date(10_000_000), from: Self.now)
        #expect(forecast.reached > Self.date(100_000))
        #expect(forecast.reached < Self.date(10_000_000))
        #expect(forecast.asked == Self.date(10_000_000))
        #expect((10_000...100_000).contains(forecast.launches.count))
    }

    @Test("is the same in parts of any size", arguments: [1, 2, 7, 1_000])
    func parts(steps: Int) {
        var engine = Self.engine([
            TaskDeclaration(
                identifier: "often", kind: .processing, schedule: .every(.minutes(10)),
                timeLimit: .seconds(30)),
            TaskDeclaration(identifier: "later", kind: .processing, earliest: .hours(3)),
            TaskDeclaration(identifier: "manual", kind: .processing, submission: .manual),
            TaskDeclaration(identifier: "running", kind: .processing, submission: .manual),
        ])
        var random = SplitMix(seed: 1)
        _ = engine.handle(
            .submit(Submission(identifier: "running"), ticket: nil), at: Self.now, using: &random)
        let events = ["manual", "later"].map {
            Event.submit(Submission(identifier: $0, delay: .seconds(60)), ticket: nil)
        }
        // The second forecast reaches the limit.
        for date in [Self.date(86_400), Self.date(40_000_000)].prefix(steps == 7 ? 2 : 1) {
            let whole = engine.forecast(to: date, from: Self.now, after: events)
            var forecast = Forecast(of: engine, to: date, from: Self.now, after: events)
            var calls = 0
            while !forecast.isComplete {
                let before = forecast.launches.count
                forecast.advance(by: steps)
                calls += 1
                #expect(forecast.launches.count - before <= steps * 4)
            }
            #expect(calls >= whole.launches.count / steps)
            #expect(forecast.launches == whole.launches)
            #expect(forecast.reached == whole.reached)
            #expect(forecast.engine.snapshot == whole.engine.snapshot)
        }
    }
}
