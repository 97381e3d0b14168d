// SPDX-License-Identifier: Apache-2.0

/// The app that the plugin is.
@MainActor
open class UIApplication: UIResponder {
    /// A key of launch options. bgrun gives none.
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }
}
