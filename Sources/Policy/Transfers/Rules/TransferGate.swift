// SPDX-License-Identifier: Apache-2.0

/// Why a transfer waits.
package enum TransferWait: Equatable, Sendable {
    case suspended
    case paused
    /// Its app may not transfer.
    case forbidden
    case earliest(WallTime)
    /// After a failure.
    case retry(WallTime)
    case network
    /// Needs an unmetered network; not `isKnown`: whether the network is metered is unknown.
    case unmetered(isKnown: Bool)
    case power(isKnown: Bool)
    /// The budget on metered networks is used up until this date.
    case budget(WallTime)
    /// The maximum number of transfers of the app is running.
    case parallel(Int)
    /// The maximum number of connections to this host is open.
    case connections(host: String, limit: Int)

    /// The reason shown for a transfer that may run but has not been started by the service.
    package static let admitted = "about to start"
    /// The reason shown for a transfer that may run while the service does not.
    package static let unserved = "the transfer service does not run"

    /// When the wait ends by itself; nil: at another event.
    package var until: WallTime? {
        switch self {
        case .earliest(let date), .retry(let date), .budget(let date): date
        default: nil
        }
    }

    /// For people; the caller shows the dates.
    package var sentence: String {
        switch self {
        case .suspended: "its app has suspended it"
        case .paused: "it is paused"
        case .forbidden: "its app may not run in the background"
        case .earliest: "its earliest date has not come"
        case .retry: "it failed, and will be retried"
        case .network: "the network is missing"
        case .unmetered(isKnown: true): "the network is metered"
        case .unmetered(isKnown: false): "whether the network is metered is unknown"
        case .power(isKnown: true): "external power is missing"
        case .power(isKnown: false): "whether external power is present is unknown"
        case .budget: "the budget on metered networks is used up"
        case .parallel(1): "1 transfer of its app is already running"
        case .parallel(let limit): "\(limit) transfers of its app are already running"
        case .connections(let host, 1): "1 connection to \(host) is already open"
        case .connections(let host, let limit): "\(limit) connections to \(host) are already open"
        }
    }
}

/// Whether a transfer may run. Unknown readings hold it back, except the network, which may be tried.
package enum TransferGate {
    /// Nil: it may run. A running transfer that must wait is paused.
    /// - Parameter budget: The bytes transferred on metered networks.
    package static func wait(
        of transfer: Transfer, under conditions: TransferConditions, budget: MeteredBudget,
        policy: TransferPolicy, at now: WallTime
    ) -> TransferWait? {
        switch transfer.wanted {
        case .suspended: return .suspended
        case .paused: return .paused
        case .run, .cancelled, .cancelledResumable: break
        }
        if conditions.isForbidden { return .forbidden }
        if let earliest = transfer.request.earliest, now < earliest { return .earliest(earliest) }
        if let date = transfer.progress.retryAt, now < date, date <= latestRetry(of: transfer, now)
        {
            return .retry(date)
        }
        if conditions.network == .no { return .network }
        let request = transfer.request
        if request.isDiscretionary || !request.allowsMetered, conditions.metered != .no {
            return .unmetered(isKnown: conditions.metered == .yes)
        }
        if request.isDiscretionary, conditions.externalPower != .yes {
            return .power(isKnown: conditions.externalPower == .no)
        }
        if conditions.metered == .yes, let date = budget.closedUntil(policy, at: now) {
            return .budget(date)
        }
        return nil
    }

    /// A later date came from a clock that has been set back since.
    private static func latestRetry(of transfer: Transfer, _ now: WallTime) -> WallTime {
        now.advanced(by: max(transfer.request.retry.to, TransferRetryRule.longestRetryAfter))
    }

    /// Whether it may run without a host, now or after the dates for which it waits.
    package static func movesAlone(
        _ transfer: Transfer, under conditions: TransferConditions, budget: MeteredBudget,
        policy: TransferPolicy, at now: WallTime
    ) -> Bool {
        var date = now
        while let wait = wait(
            of: transfer, under: conditions, budget: budget, policy: policy, at: date)
        {
            if needsHost(wait) { return false }
            guard let next = wait.until, next > date else { return true }
            date = next
        }
        return true
    }

    /// Whether only a host can end the wait, since it knows the state of the device.
    private static func needsHost(_ wait: TransferWait) -> Bool {
        switch wait {
        case .unmetered, .power, .suspended, .paused, .forbidden, .network: true
        case .earliest, .retry, .budget, .parallel, .connections: false
        }
    }
}
