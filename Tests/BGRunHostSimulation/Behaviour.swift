// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSimulation

/// The behaviour of one attempt's handler. Drawn from a stream of the attempt, so that it does not depend on
/// other events.
struct Behaviour {
    enum ScenarioAction {
        case progress(Int64)
        case line
        case assertionBegins
        case assertionEnds
        case submit(Int)
        case checkpoint(UInt8)
        case pushResult
    }

    /// The outcome if the handler ends by itself.
    var outcome = Outcome.completed
    /// Nanoseconds until it ends by itself; nil: never.
    var length: Int64?
    /// Nanoseconds from its report to its end; nil: it reports at its end.
    var lingers: Int64?
    /// Nanoseconds from its expiration to its end; nil: it ignores the expiration.
    var obeys: Int64?
    /// The success that it reports at its expiration; nil: it reports nothing.
    var reportsWhenTold: Bool?
    /// Nanoseconds from SIGTERM to its end; nil: it ignores SIGTERM.
    var yields: Int64?
    /// Nanoseconds from SIGKILL to its end, at most `longestDeath`.
    var dies: Int64 = 0
    var deeds: [(after: Int64, deed: ScenarioAction)] = []

    /// The longest time until a killed process has ended, in nanoseconds.
    static let longestDeath: Int64 = 300_000_000

    /// A handler that soon completes.
    static func calm(_ random: inout SeededGenerator) -> Behaviour {
        Behaviour(
            length: random.nanoseconds(50...500), obeys: random.nanoseconds(0...100),
            yields: 0)
    }

    static func random(_ random: inout SeededGenerator) -> Behaviour {
        var behaviour = Behaviour()
        switch random.below(100) {
        case 0..<60: behaviour.length = random.nanoseconds(10...8_000)
        case 60..<85: behaviour.length = random.nanoseconds(8_000...60_000)
        default: behaviour.length = nil
        }
        switch random.below(100) {
        case 0..<55: behaviour.outcome = .completed
        case 55..<80: behaviour.outcome = .failed
        case 80..<92: behaviour.outcome = .crashed(signal: 11)
        default: behaviour.outcome = .exited(code: 3)
        }
        if random.below(4) == 0 { behaviour.lingers = random.nanoseconds(0...20_000) }
        if random.below(3) > 0 { behaviour.obeys = random.nanoseconds(0...6_000) }
        switch random.below(3) {
        case 0: behaviour.reportsWhenTold = true
        case 1: behaviour.reportsWhenTold = false
        default: break
        }
        if random.below(2) == 0 { behaviour.yields = random.nanoseconds(0...3_000) }
        behaviour.dies = min(Self.longestDeath, random.nanoseconds(0...300))
        for _ in 0..<random.below(4) {
            behaviour.deeds.append((random.nanoseconds(0...12_000), deed(&random)))
        }
        return behaviour
    }

    private static func deed(_ random: inout SeededGenerator) -> ScenarioAction {
        switch random.below(9) {
        case 0, 1: .progress(Int64(random.below(10)))
        case 2, 3: .line
        case 4: .assertionBegins
        case 5: .assertionEnds
        case 6: .submit(random.below(8))
        case 7: .checkpoint(UInt8(random.below(200)))
        default: .pushResult
        }
    }
}

extension SeededGenerator {
    /// 0 to `limit` - 1.
    mutating func below(_ limit: Int) -> Int {
        Int(next() % UInt64(max(1, limit)))
    }

    /// True once in `count` times.
    mutating func once(in count: Int) -> Bool { below(count) == 0 }

    /// A random duration from a range of milliseconds.
    mutating func nanoseconds(_ range: ClosedRange<Int>) -> Int64 {
        Int64(range.lowerBound + below(range.count)) * 1_000_000
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }
}
