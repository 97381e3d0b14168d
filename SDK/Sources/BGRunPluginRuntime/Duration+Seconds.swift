// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// A century, in seconds: longer times mean never.
    private static let longestSeconds = 3_155_760_000.0

    /// A time of an app, which may be infinite, negative or not a number: from zero to a century.
    package static func clamped(seconds: Double) -> Duration {
        .seconds(clampedSeconds(seconds))
    }

    /// The same in seconds.
    package static func clampedSeconds(_ seconds: Double) -> Double {
        seconds.isNaN ? 0 : min(max(0, seconds), longestSeconds)
    }
}
