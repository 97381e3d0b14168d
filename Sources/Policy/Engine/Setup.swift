// SPDX-License-Identifier: Apache-2.0

/// What the manifest decides once and for all; by reference, so that an engine is not large to pass on.
final class Setup: Sendable {
    let configuration: Engine.Configuration
    let admission: AdmissionRule
    /// Whether no host runs: requests are accepted, and nothing is launched.
    let isOffline: Bool
    let hasJitter: Bool
    /// What the inner loop asks of the policy: looking it up there copies all of it.
    let concurrentAttempts: Int
    let timeLimits: [Interval]
    let graces: [Interval]
    /// Whether nothing follows a request of the task that has completed.
    let areOver: [Bool]
    let hasTriggers: Bool
    let calendarTasks: [Int]
    /// Those whose occurrences are given up at some time.
    let expiringTasks: [Int]

    init(_ configuration: Engine.Configuration, isOffline: Bool) {
        self.configuration = configuration
        self.isOffline = isOffline
        admission = AdmissionRule(
            permitted: configuration.permitted, declarations: configuration.declarations,
            modes: configuration.modes, policy: configuration.policy)
        let declarations = configuration.declarations
        let policy = configuration.policy
        concurrentAttempts = policy.concurrentAttempts
        timeLimits = declarations.map { $0.timeLimit ?? policy.timeLimit(for: $0.kind) }
        graces = declarations.map { min($0.grace ?? policy.grace, policy.graceMaximum) }
        areOver = declarations.map { $0.schedule == nil }
        hasJitter = declarations.contains { $0.jitter > .zero }
        hasTriggers = declarations.contains { !$0.triggers.isEmpty }
        calendarTasks = declarations.indices.filter { declarations[$0].schedule?.calendar != nil }
        expiringTasks = calendarTasks.filter {
            declarations[$0].startDeadline != nil || declarations[$0].catchUp == .none
        }
    }
}
