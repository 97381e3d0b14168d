// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Synchronization

/// Runs a whole host in simulated time, with random faults from a seed.
package enum HostSimulation {
    /// Random events before the faults end.
    package static let steps = 120
    /// One of this many seeds has a journal, which is replayed.
    package static let journalEvery: UInt64 = 8

    /// The result of one seed.
    package struct Run: Sendable {
        package var seed: UInt64
        /// Equal for equal runs.
        package var digest: UInt64
        package var violation: Violation?
        /// The events, if the run was traced.
        package var lines: [String]
        package var counts: Ledger.Counts
    }

    package static func run(
        seed: UInt64, steps: Int = steps, isTracing: Bool = false
    ) throws -> Run {
        let journal = seed % journalEvery == 0 ? JournalPlace() : nil
        let world = try HostWorld(seed: seed, isTracing: isTracing, journal: journal)
        world.run(steps: steps)
        return Run(
            seed: seed, digest: world.trace.digest, violation: world.violation,
            lines: world.trace.lines, counts: world.ledger.counts)
    }

    /// The sum of several runs.
    package struct Summary: Sendable {
        package var seeds = 0
        /// The violation of the lowest seed with one.
        package var violation: Violation?
        package var counts = Ledger.Counts()
        package var digest: UInt64 = 0
        /// The reason why a seed could not be run at all.
        package var failure: String?
    }

    /// Runs `seeds` on all processors until `isOver` returns true or a run violates an invariant.
    package static func run(
        seeds: Range<UInt64>, steps: Int = steps, isOver: @escaping @Sendable () -> Bool = { false }
    ) -> Summary {
        let next = Atomic<UInt64>(seeds.lowerBound)
        let summary = Mutex(Summary())
        DispatchQueue.concurrentPerform(iterations: processors) { _ in
            while !isOver() {
                let seed = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard seed < seeds.upperBound else { return }
                do {
                    let run = try run(seed: seed, steps: steps)
                    let isWrong = summary.withLock { $0.add(run) }
                    if isWrong { next.store(seeds.upperBound, ordering: .relaxed) }
                } catch {
                    summary.withLock { $0.failure = "seed \(seed): \(error)" }
                    return
                }
            }
        }
        return summary.withLock { $0 }
    }

    private static var processors: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
}

extension HostSimulation.Summary {
    /// Adds a run. Returns whether it violated an invariant.
    fileprivate mutating func add(_ run: HostSimulation.Run) -> Bool {
        seeds += 1
        digest &+= run.digest
        counts = counts + run.counts
        guard let violation = run.violation else { return false }
        if self.violation.map({ violation.seed < $0.seed }) ?? true { self.violation = violation }
        return true
    }
}
