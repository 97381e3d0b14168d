// SPDX-License-Identifier: Apache-2.0

/// How many transfers run at a time, and how many of them to one server.
package enum ConnectionRule {
    /// A transfer that is ready to run and needs a place.
    package struct Candidate: Equatable, Sendable {
        package var id: Int64
        package var host: String
        /// The maximum number of connections to its host; nil: the policy's.
        var limit: Int?

        package init(id: Int64, host: String, limit: Int? = nil) {
            self.id = id
            self.host = host
            self.limit = limit
        }
    }

    /// The decisions about candidates.
    package struct Outcome: Equatable, Sendable {
        package var admitted: [Int64] = []
        package var waiting: [Int64: TransferWait] = [:]
    }

    /// Assigns the free places to candidates in their order; one whose host is busy does not delay later ones.
    /// - Parameter running: The number of running transfers by host.
    package static func admit(
        _ candidates: [Candidate], running: [String: Int], policy: TransferPolicy
    ) -> Outcome {
        var outcome = Outcome()
        var running = running
        var count = running.values.reduce(0, +)
        for candidate in candidates {
            let limit = candidate.limit ?? policy.connections
            if count >= policy.parallel {
                outcome.waiting[candidate.id] = .parallel(policy.parallel)
            } else if running[candidate.host, default: 0] >= limit {
                outcome.waiting[candidate.id] = .connections(host: candidate.host, limit: limit)
            } else {
                outcome.admitted.append(candidate.id)
                running.countUp(candidate.host)
                count += 1
            }
        }
        return outcome
    }
}
