// SPDX-License-Identifier: Apache-2.0

extension RetryRule {
    /// The delay before the attempt after the `failures`th failure, or nil if no further attempt is allowed.
    ///
    /// Android: linear is `from * failures`, exponential is `from * 2^(failures - 1)`, both at most `to`.
    package func delay(afterFailures failures: Int) -> Interval? {
        if let attempts, failures >= attempts { return nil }
        let factor: Int64 =
            switch backoff {
            case .linear: Int64(failures)
            // fits: 0 to 61
            case .exponential: failures > 62 ? .max : 1 << Int64(max(0, failures - 1))
            }
        return min(from.multiplied(by: factor), to)
    }
}
