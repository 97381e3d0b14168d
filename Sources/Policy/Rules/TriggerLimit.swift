// SPDX-License-Identifier: Apache-2.0

/// Limits how often the connections to a socket submit its task: a handler that ends without accepting leaves the
/// connection, which submits the task again. After `burst` requests within `interval` (systemd: TriggerLimitBurst; its
/// 2 s miss handlers that fail slowly) connections wait for `shortestRest`, and twice as long for each repetition
/// within `longestRest`.
package struct TriggerLimit: Equatable, Sendable {
    package static let burst = 20
    package static let interval = Interval.seconds(10)
    package static let shortestRest = Interval.seconds(10)
    static let longestRest = Interval.minutes(10)

    /// The elapsed instants of the newest requests, at most `burst`.
    private var requests: [Int64] = []
    private var rest = Interval.zero
    /// The elapsed instant at which the last rest ended.
    private var restedUntil: Int64 = 0

    package enum Decision: Equatable, Sendable {
        case submit
        /// Not before this elapsed instant.
        case rest(until: Int64)
    }

    package init() {}

    package mutating func connection(at elapsed: Int64) -> Decision {
        requests.removeAll { elapsed.saturatingSubtracting($0) >= Self.interval.nanoseconds }
        guard requests.count >= Self.burst else {
            requests.append(elapsed)
            return .submit
        }
        requests.removeAll()
        let isAgain =
            rest > .zero
            && elapsed.saturatingSubtracting(restedUntil) < Self.longestRest.nanoseconds
        rest = isAgain ? min(rest.multiplied(by: 2), Self.longestRest) : Self.shortestRest
        restedUntil = elapsed.saturatingAdding(rest.nanoseconds)
        return .rest(until: restedUntil)
    }
}
