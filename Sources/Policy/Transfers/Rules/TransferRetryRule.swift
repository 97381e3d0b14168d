// SPDX-License-Identifier: Apache-2.0

/// Which failures are worth a retry, and when it is made.
package enum TransferRetryRule {
    /// The decision after a failure.
    package enum Decision: Equatable, Sendable {
        /// Retry, not before this date.
        case retry(at: WallTime)
        /// Retry when the network is back, or at this date if its state is unknown. Does not count as a failure.
        case waitForNetwork(at: WallTime)
        /// The transfer has failed.
        case fail
    }

    /// The maximum `Retry-After` of a server.
    static let longestRetryAfter = Interval.days(1)
    /// The interval between checks of the free disk space.
    static let spacePause = Interval.seconds(30)

    /// - Parameters:
    ///   - status: The server's status, if the failure is `status`.
    ///   - retryAfter: The `Retry-After` of the response.
    ///   - failures: Failures in a row, this one included.
    ///   - network: Whether there is a network; unknown counts as yes, since a connection was tried.
    package static func verdict(
        on failure: TransferFailure, status: Int? = nil, retryAfter: String? = nil,
        failures: Int, retry: TransferRequest.Retry, network: Reading, at now: WallTime
    ) -> Decision {
        if failure == .noSpace { return .retry(at: now.advanced(by: spacePause)) }
        if network == .no, isOfNetwork(failure) {
            return .waitForNetwork(at: now.advanced(by: retry.from))
        }
        guard isPassing(failure, status: status) else { return .fail }
        let backoff = RetryRule(
            backoff: .exponential, from: retry.from, to: retry.to, attempts: retry.attempts)
        guard let delay = backoff.delay(afterFailures: failures) else { return .fail }
        let asked = retryAfter.flatMap { self.date(retryAfter: $0, at: now) }
        return .retry(at: max(now.advanced(by: delay), asked ?? now))
    }

    /// Whether the failure may be temporary.
    static func isPassing(_ failure: TransferFailure, status: Int?) -> Bool {
        switch failure {
        case .cannotFindHost, .cannotConnect, .connectionLost, .timedOut, .noSpace: true
        case .status: status.map([408, 425, 429, 500, 502, 503, 504].contains) ?? false
        default: false
        }
    }

    /// Whether the failure concerns the path to the server, so that a retry is worthwhile as soon as the network is
    /// back.
    package static func isOfNetwork(_ failure: TransferFailure) -> Bool {
        [.cannotFindHost, .cannotConnect, .connectionLost, .timedOut].contains(failure)
    }

    /// `Retry-After: 120` or a date; nil when it is neither.
    static func date(retryAfter text: String, at now: WallTime) -> WallTime? {
        let latest = now.advanced(by: longestRetryAfter)
        if let seconds = Int64(text) {
            return seconds < 0 ? nil : min(latest, now.advanced(by: .seconds(seconds)))
        }
        return HTTPDate.parse(text).map { min(latest, $0) }
    }
}
