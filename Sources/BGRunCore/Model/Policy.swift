// SPDX-License-Identifier: Apache-2.0

/// Every number the scheduler uses. Nothing is hidden elsewhere.
public struct Policy: Hashable, Sendable {
    /// The shipped set a manifest starts from.
    public enum Profile: String, Sendable, CaseIterable {
        /// The framework's behaviour.
        case apple
        /// No usage model, no floors, no small pending limits.
        case server
    }

    public var profile: Profile
    /// Pending app-refresh requests per app. Apple: 1.
    public var pendingAppRefresh: Int
    /// Pending processing requests per app. Apple: 10.
    public var pendingProcessing: Int
    /// Pending push requests per app. Ours.
    public var pendingPush: Int
    /// Attempts of one app that may run at the same time. Ours.
    public var concurrentAttempts: Int
    /// Wall limit of an app-refresh attempt. Apple: about 30 s.
    public var appRefreshLimit: Interval
    /// Wall limit of a processing attempt. Apple: minutes; Android: 10 min.
    public var processingLimit: Interval
    /// Wall limit of a push attempt. Apple: about 30 s.
    public var pushLimit: Interval
    /// From telling a handler that its time is over to SIGTERM. Ours; Apple: "as short as possible".
    public var grace: Interval
    /// The longest grace a manifest may ask for. Ours.
    public var graceMaximum: Interval
    /// From SIGTERM to SIGKILL. Ours.
    public var terminationWait: Interval
    /// The battery is low below this percentage. Apple (field): 20.
    public var lowBatteryPercent: Int
    /// How long external power must last, and be gone, before it counts. Ours.
    public var powerSettle: SettleRule.Window
    /// The same for the network, which comes up seconds after a resume. Ours.
    public var networkSettle: SettleRule.Window
    /// The same for nobody using the device, whose source has waited already. Ours.
    public var idleSettle: SettleRule.Window
    /// Warm workers kept per plugin. Ours.
    public var warmWorkers: Int
    /// How long an unused warm worker is kept. Ours.
    public var warmIdle: Interval
    /// How often a request is requeued after the host died under it, before it is dropped as
    /// failed: a request that brings the host down must not do so for ever. Ours.
    public var interruptionLimit: Int
    /// Output lines stored per attempt; later ones are counted and dropped. Ours.
    public var outputLines: Int
    /// Bytes stored of one output line. Ours.
    public var outputLineBytes: Int
    /// Attempts of an identifier that stay in the history however old they are. Ours.
    public var keptAttempts: Int
    /// How long older attempts and events stay in the history. Ours.
    public var keptFor: Interval

    public static let apple = Policy(
        profile: .apple, pendingAppRefresh: 1, pendingProcessing: 10, pendingPush: 10,
        concurrentAttempts: 2, appRefreshLimit: .seconds(30), processingLimit: .minutes(10),
        pushLimit: .seconds(30), grace: .seconds(5), graceMaximum: .seconds(10),
        terminationWait: .seconds(2), lowBatteryPercent: 20,
        powerSettle: SettleRule.Window(gained: .seconds(10), lost: .seconds(1)),
        networkSettle: SettleRule.Window(gained: .seconds(15), lost: .seconds(5)),
        idleSettle: .none, warmWorkers: 1, warmIdle: .minutes(1), interruptionLimit: 3,
        outputLines: 1_000, outputLineBytes: 4_096, keptAttempts: 100, keptFor: .days(30))

    public static let server: Policy = {
        var policy = Policy.apple
        policy.profile = .server
        policy.pendingAppRefresh = 10_000_000
        policy.pendingProcessing = 10_000_000
        policy.pendingPush = 10_000_000
        policy.concurrentAttempts = 8
        policy.processingLimit = .hours(1)
        policy.graceMaximum = .minutes(5)
        policy.warmWorkers = 8
        return policy
    }()

    public static func profile(_ profile: Profile) -> Policy {
        switch profile {
        case .apple: .apple
        case .server: .server
        }
    }

    /// Pending requests of `kind` an app may have.
    public func pendingLimit(for kind: TaskKind) -> Int {
        switch kind {
        case .appRefresh: pendingAppRefresh
        case .processing: pendingProcessing
        case .push: pendingPush
        }
    }

    /// The time an attempt of `kind` is granted when its task does not say.
    public func timeLimit(for kind: TaskKind) -> Interval {
        switch kind {
        case .appRefresh: appRefreshLimit
        case .processing: processingLimit
        case .push: pushLimit
        }
    }
}
