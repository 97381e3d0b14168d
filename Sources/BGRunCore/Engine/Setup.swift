// SPDX-License-Identifier: Apache-2.0

/// What the manifest decides once and for all. Held by reference: it is large, and an engine that is
/// passed on should not be.
final class Setup: Sendable {
    let configuration: Engine.Configuration
    let admission: AdmissionRule
    let hasJitter: Bool

    init(_ configuration: Engine.Configuration) {
        self.configuration = configuration
        admission = AdmissionRule(
            permitted: configuration.permitted, declarations: configuration.declarations,
            modes: configuration.modes, policy: configuration.policy)
        hasJitter = configuration.declarations.contains { $0.jitter > .zero }
    }
}
