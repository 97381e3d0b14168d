// SPDX-License-Identifier: Apache-2.0

/// Whether a handler may do something, and why.
package struct AccessDecision: Equatable, Sendable {
    package var request: AccessRequest
    package var isAllowed: Bool
    /// What decides, in words.
    package var reason: String
    /// The path whose rule decides; nil: it is not about a path, or no rule shows it.
    package var path: String?
    /// The key of `confine` that decides; nil: the profile, or what every profile has.
    package var key: String?
    /// The layers that deny it here; empty if it is allowed, or if nothing enforces the rule.
    package var layers: [ConfinementLayer] = []
    /// Why no layer denies here what the rules deny; nil if one does.
    package var weakness: String?
    /// The keys that would allow it, as YAML; nil: none can, none should, or it is allowed.
    package var grant: String?
    /// What to do if the grant would give more than a task needs; nil otherwise.
    package var advice: String?
}
