// SPDX-License-Identifier: Apache-2.0

/// Identifies an assertion from `beginBackgroundTask` to `endBackgroundTask`.
public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// No assertion: there is no attempt, its time was revoked, or it holds 64.
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}
