// SPDX-License-Identifier: Apache-2.0

/// What became of one try. Times are milliseconds.
struct Answer: Equatable {
    /// What is wrong; nil when the server has taken the request.
    var problem: String?
    /// Whether another try may help: no connection, 429, or a failure of the server's.
    var isPassing = false
    /// How long the server asks to be left alone; 0 when it does not.
    var retryAfter = 0
}

enum RetryRule {
    /// How long to wait before the next try: 1 s, 2 s, 4 s, ..., at most 1 min, or what the server asks
    /// for. Nil: no further try, since it would not help or come too late.
    static func pause(after answer: Answer, tries: Int, left: Int) -> Int? {
        guard answer.problem != nil, answer.isPassing else { return nil }
        let backoff = min(60_000, 1_000 << min(tries - 1, 6))
        let pause = max(backoff, answer.retryAfter)
        return pause < left ? pause : nil
    }
}
