// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
public import Foundation
import Synchronization

extension ProcessInfo {
    /// The options of an activity. They have no effect: every activity holds an assertion.
    public struct ActivityOptions: OptionSet, Sendable {
        public let rawValue: UInt64

        public init(rawValue: UInt64) {
            self.rawValue = rawValue
        }

        public static let idleDisplaySleepDisabled = Self(rawValue: 1 << 40)
        public static let idleSystemSleepDisabled = Self(rawValue: 1 << 20)
        public static let suddenTerminationDisabled = Self(rawValue: 1 << 14)
        public static let automaticTerminationDisabled = Self(rawValue: 1 << 15)
        public static let animationTrackingEnabled = Self(rawValue: 1 << 45)
        public static let trackingEnabled = Self(rawValue: 1 << 46)
        public static let userInitiated = Self(rawValue: 0x00FF_FFFF | 1 << 20)
        public static let userInitiatedAllowingIdleSystemSleep = Self(
            rawValue: 0x00FF_FFFF & ~(1 << 20))
        public static let background = Self(rawValue: 0xFF)
        public static let latencyCritical = Self(rawValue: 0xFF_0000_0000)
    }

    /// Keeps the current attempt open until `endActivity`, or until the result is released, its
    /// time is revoked, or the policy's `assertion_limit` is reached. Has no effect outside an
    /// attempt.
    @discardableResult
    public func beginActivity(
        options: ActivityOptions = [], reason: String
    ) -> any NSObjectProtocol {
        Activity(Activities.current, Activities.current.begin(reason, whenExpired: nil))
    }

    /// Ends an activity. A second call does nothing.
    public func endActivity(_ activity: any NSObjectProtocol) {
        (activity as? Activity)?.end()
    }

    /// Calls `block` as an activity.
    public func performActivity(
        options: ActivityOptions = [], reason: String, using block: @escaping () -> Void
    ) {
        let activity = beginActivity(options: options, reason: reason)
        block()
        endActivity(activity)
    }

    /// Calls `block` with false, on a separate queue, and keeps the attempt open until it returns.
    /// If time is revoked meanwhile, calls `block` again with true, on another thread, to end the
    /// work. Without any time left, calls it once, with true.
    @preconcurrency
    public func performExpiringActivity(
        withReason reason: String, using block: @escaping @Sendable (Bool) -> Void
    ) {
        let activities = Activities.current
        let runtime = PluginRuntime.current
        let perform = { @Sendable (isExpired: Bool, end: @escaping @Sendable () -> Void) in
            DispatchQueue.global(qos: .utility).async {
                runtime.withCurrent { block(isExpired) }
                end()
            }
        }
        guard let id = activities.begin(reason, whenExpired: { perform(true) {} }) else {
            return perform(true) {}
        }
        perform(false) { activities.end(id) }
    }
}

/// Ends its activity when it is released.
private final class Activity: NSObject, Sendable {
    private let activities: Activities
    private let id: Int64?

    init(_ activities: Activities, _ id: Int64?) {
        self.activities = activities
        self.id = id
    }

    deinit {
        end()
    }

    func end() {
        if let id { activities.end(id) }
    }
}

/// The activities of a runtime: each is an assertion of the attempt it began in.
private final class Activities: Sendable {
    private struct Held {
        let task: PluginTask
        let whenExpired: (@Sendable () -> Void)?
        var isNotified = false
    }

    private static let all = Mutex<[(runtime: PluginRuntime, activities: Activities)]>([])

    static var current: Activities {
        let runtime = PluginRuntime.current
        return all.withLock { all in
            for known in all where known.runtime === runtime { return known.activities }
            let activities = Activities(runtime)
            all.append((runtime, activities))
            return activities
        }
    }

    private let runtime: PluginRuntime
    private let held = Mutex<[Int64: Held]>([:])

    private init(_ runtime: PluginRuntime) {
        self.runtime = runtime
        runtime.add(PluginObserver(willExpire: { [weak self] _ in self?.expire() }))
    }

    /// nil if no time is left.
    func begin(_ reason: String, whenExpired: (@Sendable () -> Void)?) -> Int64? {
        guard let task = runtime.currentTask, !task.isExpired else { return nil }
        let id = task.beginAssertion(reason)
        guard id != 0 else { return nil }
        task.hold()
        held.withLock { $0[id] = Held(task: task, whenExpired: whenExpired) }
        // An earlier revocation has not found the activity.
        guard task.isExpired, takeNotification(of: id) != nil else { return id }
        end(id)
        return nil
    }

    /// The activity, for its only notification; nil if it was notified or has ended.
    private func takeNotification(of id: Int64) -> Held? {
        held.withLock { held in
            guard let activity = held[id], !activity.isNotified else { return nil }
            held[id]?.isNotified = true
            return activity
        }
    }

    func end(_ id: Int64) {
        guard let activity = held.withLock({ $0.removeValue(forKey: id) }) else { return }
        activity.task.endAssertion(id)
        activity.task.release()
    }

    /// An activity that cannot be notified ends.
    private func expire() {
        for id in held.withLock({ Array($0.keys) }) {
            guard let activity = takeNotification(of: id) else { continue }
            guard let whenExpired = activity.whenExpired else {
                end(id)
                continue
            }
            whenExpired()
        }
    }
}
