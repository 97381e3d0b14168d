// SPDX-License-Identifier: Apache-2.0

/// Bytes transferred on metered networks. A period begins with the first byte after the end of the last period.
package struct MeteredBudget: Equatable, Sendable {
    /// When the period began; nil: nothing was transferred yet.
    package private(set) var since: WallTime?
    package private(set) var bytes: Int64

    package init(since: WallTime? = nil, bytes: Int64 = 0) {
        self.since = since
        self.bytes = bytes
    }

    package mutating func count(_ moved: Int64, _ policy: TransferPolicy, at now: WallTime) {
        guard moved > 0 else { return }
        if isOver(policy, at: now) {
            since = now
            bytes = 0
        }
        bytes = bytes.saturatingAdding(moved)
    }

    /// When the next period begins, if this one's budget is spent; nil otherwise.
    package func closedUntil(_ policy: TransferPolicy, at now: WallTime) -> WallTime? {
        guard policy.meteredBudget > 0, bytes >= policy.meteredBudget, !isOver(policy, at: now)
        else { return nil }
        return since?.advanced(by: policy.meteredPeriod)
    }

    /// A clock that was set back also ends a period, so that none lasts for ever.
    private func isOver(_ policy: TransferPolicy, at now: WallTime) -> Bool {
        guard let since else { return true }
        return now < since || since.advanced(by: policy.meteredPeriod) <= now
    }
}
