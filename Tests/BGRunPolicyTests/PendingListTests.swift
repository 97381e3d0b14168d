// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("The list of pending requests", .timeLimit(.minutes(5)))
struct PendingListTests {
    @Test(
        "a limited list is the beginning of the complete list, after any events",
        arguments: 0..<20
    )
    func firstIsHead(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var engine = Self.engine
        var now = Instant(elapsed: 0, wall: WallTime(milliseconds: 1_000_000))
        for _ in 0..<400 {
            let event = Self.event(of: engine, using: &random)
            now.elapsed += 1_000_000_000
            now.wall = now.wall.advanced(by: .seconds(1))
            _ = engine.handle(event, at: now, using: &random)
            let all = engine.pendingRequests
            #expect(engine.pendingCount == all.count)
            for limit in [0, 1, 3, 1_000] {
                #expect(Array(engine.pendingRequests(first: limit)) == Array(all.prefix(limit)))
            }
        }
    }

    @Test("a million requests are listed in pages of limited size, each request once")
    func million() {
        let count = 1_000_000
        let date = WallTime(milliseconds: 1_000_000)
        let engine = Engine(
            Engine.Configuration(
                permitted: ["a.*"],
                declarations: [TaskDeclaration(identifier: "a.*", kind: .processing)],
                modes: Set(Mode.allCases), policy: .server), device: DeviceState(),
            restoring: Engine.Restoration(
                requests: (1...Int64(count)).map {
                    TaskRequest(
                        id: $0, identifier: "a.\($0)", kind: .processing, submitted: date,
                        earliest: WallTime(milliseconds: 2_000_000 - $0))
                }, nextRequestID: Int64(count) + 1))
        #expect(engine.pendingCount == count)
        var seen = Set<Int64>(minimumCapacity: count)
        var largest = 0
        var start: Int? = 0
        while let place = start {
            let page = engine.pendingPage(from: place, limit: 1_000)
            largest = max(largest, page.requests.count)
            for (_, request) in page.requests { seen.insert(request.id) }
            start = page.next
        }
        #expect(largest == 1_000 && seen.count == count)
        #expect(engine.pendingRequests(first: 2).map(\.id) == [Int64(count), Int64(count) - 1])
    }

    @Test(
        "the pages include each request that stays pending, whatever clients do meanwhile",
        arguments: 0..<20)
    func walk(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        var engine = Self.engine
        var now = Instant(elapsed: 0, wall: WallTime(milliseconds: 1_000_000))
        func act(_ engine: inout Engine) {
            now.elapsed += 1_000_000_000
            now.wall = now.wall.advanced(by: .seconds(1))
            _ = engine.handle(Self.event(of: engine, using: &random), at: now, using: &random)
        }
        for _ in 0..<100 { act(&engine) }
        var cursor = PendingCursor()
        var throughout = Set(engine.pendingRequests.map(\.id))
        var met: [Int64] = []
        var reloads = 0
        while !cursor.isAtEnd {
            met += cursor.next(in: engine, limit: 2, size: .max).map(\.id)
            act(&engine)
            if reloads < 3, Int.random(in: 0..<4, using: &random) == 0 {
                reloads += 1
                engine = try #require(
                    Engine(
                        Self.configuration, continuing: engine,
                        stored: Engine.Restoration(
                            requests: engine.pendingRequests)))
            }
            throughout.formIntersection(engine.pendingRequests.map(\.id))
        }
        #expect(throughout.isSubset(of: met))
        #expect(reloads > 0 || Set(met).count == met.count)
    }

    @Test("a page ends with the request that reaches its limit")
    func size() {
        var engine = Self.engine
        var random = SplitMix(seed: 1)
        let now = Instant(elapsed: 0, wall: WallTime(milliseconds: 1_000_000))
        for identifier in Self.identifiers {
            let text = String(repeating: "x", count: 1_000)
            let submission = Submission(
                identifier: identifier, delay: .seconds(9), parameters: text)
            _ = engine.handle(.submit(submission, ticket: nil), at: now, using: &random)
        }
        var cursor = PendingCursor()
        var pages: [Int] = []
        while !cursor.isAtEnd { pages.append(cursor.next(in: engine, limit: 9, size: 2_500).count) }
        #expect(pages == [3, 3, 3, 3])
        #expect(cursor.next(in: engine, limit: 9, size: 2_500).isEmpty)
    }

    private static let identifiers = (0..<12).map { "a.\($0 % 2 == 0 ? "plain" : "powered").\($0)" }

    private static var engine: Engine { Engine(configuration, device: DeviceState()) }

    private static var configuration: Engine.Configuration {
        let retry = RetryRule(from: .seconds(3))
        return Engine.Configuration(
            permitted: ["a.*"],
            declarations: [
                TaskDeclaration(identifier: "a.plain.*", kind: .processing, retry: retry),
                TaskDeclaration(
                    identifier: "a.powered.*", kind: .processing, requires: .externalPower,
                    retry: retry),
            ],
            modes: Set(Mode.allCases), policy: .server)
    }

    private static func event(
        of engine: Engine, using random: inout SplitMix
    ) -> Event {
        let identifier = identifiers[Int.random(in: 0..<12, using: &random)]
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return .cancel(identifier: identifier, ticket: nil)
        case 1: return .trigger(Submission(identifier: identifier), ticket: nil)
        case 2:
            let isExternal = Bool.random(using: &random)
            return .deviceChanged(DeviceState(externalPower: isExternal ? .yes : .no))
        case 3, 4, 5:
            guard let attempt = engine.runningAttempt(identifier) else { return .timer }
            let outcome: Outcome = Bool.random(using: &random) ? .failed : .completed
            return .attemptEnded(attempt: attempt.id, outcome)
        default:
            let delay = Interval.seconds(Int64.random(in: 0...9, using: &random))
            return .submit(Submission(identifier: identifier, delay: delay), ticket: nil)
        }
    }
}
