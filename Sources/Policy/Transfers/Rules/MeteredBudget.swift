// SPDX-License-Identifier: Apache-2.0

/// Bytes moved on metered networks. A period begins with the first byte after the one before is over.
package struct MeteredBudget: Hashable, Sendable {
    /// When the period began; nil: nothing was ever moved.
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

    /// When the next period begins, if this one's bytes are used up; nil: they are not.
    package func closedUntil(_ policy: TransferPolicy, at now: WallTime) -> WallTime? {
        guard policy.meteredBudget > 0, bytes >= policy.meteredBudget, !isOver(policy, at: now)
        else { return nil }
        return since?.advanced(by: policy.meteredPeriod)
    }

    /// A clock that was set back ends a period, too, so that none lasts for ever.
    private func isOver(_ policy: TransferPolicy, at now: WallTime) -> Bool {
        guard let since else { return true }
        return now < since || since.advanced(by: policy.meteredPeriod) <= now
    }
}
