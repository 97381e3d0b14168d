// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunPolicy

/// The state of a transfer as seen by a host.
package struct TransferStatus: Equatable, Sendable {
    var transfer: Transfer
    /// Why it waits; nil: it does not, or it has finished.
    var wait: TransferWait?
    /// Whether the service runs.
    var serviceRuns: Bool
    /// In bytes per second; nil: unknown.
    var rate: Int64?

    /// Why unfinished transfers wait, by id: the device first, then the limits.
    package static func waits(
        of transfers: [Transfer], under conditions: TransferConditions, budget: MeteredBudget,
        policy: TransferPolicy, at now: WallTime
    ) -> [Int64: TransferWait] {
        var waits: [Int64: TransferWait] = [:]
        var running: [String: Int] = [:]
        var candidates: [ConnectionRule.Candidate] = []
        for transfer in transfers.sorted(by: { $0.id < $1.id }) where !transfer.isFinished {
            let host = WebAddress(transfer.request.url)?.host ?? ""
            if transfer.progress.isRunning {
                running.countUp(host)
            } else if let wait = TransferGate.wait(
                of: transfer, under: conditions, budget: budget, policy: policy, at: now)
            {
                waits[transfer.id] = wait
            } else {
                candidates.append(
                    ConnectionRule.Candidate(
                        id: transfer.id, host: host, limit: transfer.request.connections))
            }
        }
        return waits.merging(
            ConnectionRule.admit(candidates, running: running, policy: policy).waiting
        ) { first, _ in first }
    }
}

/// The rate of a transfer, over about a second.
struct Rate {
    private var bytes: Int64?
    private var elapsed: Int64 = 0
    private(set) var rate: Int64?

    /// Bytes per second; higher values are invalid reports.
    private static let fastest = 1e15

    mutating func note(_ bytes: Int64, at elapsed: Int64) {
        defer { (self.bytes, self.elapsed) = (bytes, elapsed) }
        guard let before = self.bytes, elapsed > self.elapsed, bytes >= before, before >= 0 else {
            return
        }
        let seconds = Double(elapsed.saturatingSubtracting(self.elapsed)) / 1_000_000_000
        let now = min(Double(bytes.saturatingSubtracting(before)) / seconds, Self.fastest)
        let weight = min(1, seconds)
        let mean = Double(rate ?? Int64(clamping: now)) * (1 - weight) + now * weight
        rate = Int64(clamping: mean)
    }
}
