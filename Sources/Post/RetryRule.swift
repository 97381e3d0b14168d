// SPDX-License-Identifier: Apache-2.0

/// The result of one try. Times are milliseconds.
struct Answer: Equatable {
    /// The cause of a failure; nil: the server has accepted the request.
    var problem: String?
    /// Whether another try may succeed: no connection, 429, or a failure of the server.
    var isPassing = false
    /// The delay that the server requests; 0 without one.
    var retryAfter = 0
}

enum RetryRule {
    /// The delay before the next try: 1 s, 2 s, 4 s, ..., at most 1 min, or as the server requests.
    /// Nil: no further try, because it would not help or come too late.
    static func pause(after answer: Answer, tries: Int, left: Int) -> Int? {
        guard answer.problem != nil, answer.isPassing else { return nil }
        let backoff = min(60_000, 1_000 << min(tries - 1, 6))
        let pause = max(backoff, answer.retryAfter)
        return pause < left ? pause : nil
    }
}
