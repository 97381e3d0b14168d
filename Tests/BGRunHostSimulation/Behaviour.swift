// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSimulation

/// What the handler of one attempt does. Drawn from a stream of the attempt's own, so that it does not depend
/// on what else happens.
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

    /// How it ends by itself.
    var outcome = Outcome.completed
    /// After how long; nil: never.
    var length: Int64?
    /// How long it continues after its report; nil: it reports with its end.
    var lingers: Int64?
    /// It ends so long after it was told that its time is over; nil: it does not.
    var obeys: Int64?
    /// What it reports then, if it does.
    var reportsWhenTold: Bool?
    /// It ends so long after SIGTERM; nil: it ignores it.
    var yields: Int64?
    /// It ends so long after SIGKILL, at most `longestDeath`.
    var dies: Int64 = 0
    var deeds: [(after: Int64, deed: ScenarioAction)] = []

    /// The kernel takes at most so long to end a killed process.
    static let longestDeath: Int64 = 300_000_000

    /// Handlers that do what they should, soon.
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

    /// A length of time, given in milliseconds.
    mutating func nanoseconds(_ range: ClosedRange<Int>) -> Int64 {
        Int64(range.lowerBound + below(range.count)) * 1_000_000
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }
}
