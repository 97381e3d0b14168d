// SPDX-License-Identifier: Apache-2.0

import BGRunCore

/// How many transfers run at a time, and how many of them at one server.
public enum ConnectionRule {
    /// A transfer that may move and asks for a place.
    public struct Candidate: Hashable, Sendable {
        public var id: Int64
        public var host: String
        /// Connections to its host at a time; nil: the policy's.
        public var limit: Int?

        public init(id: Int64, host: String, limit: Int? = nil) {
            self.id = id
            self.host = host
            self.limit = limit
        }
    }

    /// What becomes of candidates.
    public struct Outcome: Hashable, Sendable {
        public var admitted: [Int64] = []
        public var waiting: [Int64: TransferWait] = [:]
    }

    /// Gives the free places to candidates in their order; one whose host is busy does not hold up those
    /// behind it.
    /// - Parameter running: Transfers that run, by their host.
    public static func admit(
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
