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

    /// Counts of the events of a run.
    package struct Counts: Sendable {
        package var acknowledged = 0
        package var attempts = 0
        package var hosts = 0
        package var crashes = 0
        package var powerCuts = 0
        package var breakdowns = 0
        package var lostCommits = 0

        static func + (left: Counts, right: Counts) -> Counts {
            var sum = left
            sum.acknowledged += right.acknowledged
            sum.attempts += right.attempts
            sum.hosts += right.hosts
            sum.crashes += right.crashes
            sum.powerCuts += right.powerCuts
            sum.breakdowns += right.breakdowns
            sum.lostCommits += right.lostCommits
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
