// SPDX-License-Identifier: Apache-2.0

/// What a rule of a confinement comes from.
enum RuleOrigin: Hashable, Sendable {
    case profile
    /// A key of `confine`.
    case key(String)
    /// The app's own data.
    case data
    /// The app's state, and the files that decide what runs next: they cannot be granted.
    case state, guarded

    /// Whether the manifest grants it.
    var isGrant: Bool { if case .key = self { self != .key("hide") } else { false } }

    /// Whether a key of `confine` can replace the rule at the same path.
    var isReplaceable: Bool { ![.state, .guarded, .key("hide")].contains(self) }
}
