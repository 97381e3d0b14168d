// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage

/// The promises of the host to its clients.
package struct Ledger: Sendable {
    /// Acknowledged requests, until their end is durable.
    private(set) var acknowledged: Set<Int64> = []
    /// Requests whose removal was acknowledged.
    private(set) var removed: Set<Int64> = []
    /// The counts for reports.
    var counts = Counts()

    /// Counts of the events of a run, each of which must occur in a run of many seeds (SeedTests).
    package struct Counts: Sendable {
        var acknowledged = 0
        var attempts = 0
        var hosts = 0
        var crashes = 0
        var powerCuts = 0
        var breakdowns = 0
        var lostCommits = 0
        /// Messages of workers that arrived later than they were sent.
        var lateMessages = 0
        /// Messages that arrived twice.
        var doubledMessages = 0
        var lostMessages = 0
        /// Messages that arrived after a later one of their attempt, or after its end.
        var reorderedMessages = 0
        /// Signals that stood for several ended attempts.
        var batchedSignals = 0
        /// Ends that were reported before an earlier one.
        var reorderedEnds = 0
        /// Steps of the calendar clock during which a host ran.
        var stepsForward = 0
        var stepsBack = 0
        /// Writes that the full disk refused.
        var fullWrites = 0

        static func + (left: Counts, right: Counts) -> Counts {
            var sum = left
            sum.acknowledged += right.acknowledged
            sum.attempts += right.attempts
            sum.hosts += right.hosts
            sum.crashes += right.crashes
            sum.powerCuts += right.powerCuts
            sum.breakdowns += right.breakdowns
            sum.lostCommits += right.lostCommits
            sum.lateMessages += right.lateMessages
            sum.doubledMessages += right.doubledMessages
            sum.lostMessages += right.lostMessages
            sum.reorderedMessages += right.reorderedMessages
            sum.batchedSignals += right.batchedSignals
            sum.reorderedEnds += right.reorderedEnds
            sum.stepsForward += right.stepsForward
            sum.stepsBack += right.stepsBack
            sum.fullWrites += right.fullWrites
            return sum
        }
    }

    mutating func acknowledge(_ request: Int64) {
        counts.acknowledged += 1
        acknowledged.insert(request)
    }

    mutating func acknowledgeRemoval(of request: Int64) {
        removed.insert(request)
        acknowledged.remove(request)
    }

    /// Describes the first request in a wrong state; nil: there is none.
    mutating func fault(in disk: SimulatedDisk) -> String? {
        let state = disk.current
        for request in acknowledged where !state.accounts(for: request) {
            return "request \(request) was acknowledged and is gone"
        }
        for request in state.requests.values where removed.contains(request.id) {
            return "request \(request.id) was cancelled and is pending again"
        }
        var running: Set<Int64> = []
        for row in state.running.values {
            let request = row.attempt.request
            guard running.insert(request.id).inserted else {
                return "request \(request.id) runs twice"
            }
            if state.requests[request.identifier]?.id == request.id {
                return "request \(request.id) is pending and runs"
            }
        }
        let synced = disk.synced
        acknowledged = acknowledged.filter {
            !synced.recorded.contains($0) && !synced.gone.contains($0)
        }
        return nil
    }
}
