// SPDX-License-Identifier: Apache-2.0

/// Everything the manifest decides once; by reference, so that copies of an engine are cheap.
final class Setup: Sendable {
    let configuration: Engine.Configuration
    let admission: AdmissionRule
    /// Whether no host runs: requests are accepted, and nothing is launched.
    let isOffline: Bool
    let hasJitter: Bool
    /// Policy values for the inner loop: reading them from the policy would copy all of it.
    let concurrentAttempts: Int
    let timeLimits: [Interval]
    let graces: [Interval]
    /// Whether a completed request of the task has no follow-up.
    let areOver: [Bool]
    let hasTriggers: Bool
    let calendarTasks: [Int]
    /// Tasks whose occurrences can expire.
    let expiringTasks: [Int]

    init(_ configuration: Engine.Configuration, isOffline: Bool) {
        self.configuration = configuration
        self.isOffline = isOffline
        admission = AdmissionRule(configuration)
        let declarations = configuration.declarations
        let policy = configuration.policy
        concurrentAttempts = policy.concurrentAttempts
        timeLimits = declarations.map { $0.timeLimit ?? policy.timeLimits[$0.kind] }
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
