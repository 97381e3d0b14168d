// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The place and time at which closures run. Unlike Apple's, all schedulers use the same type for
/// time.
public protocol Scheduler {
    /// Runs `action` as soon as possible.
    func schedule(_ action: @escaping () -> Void)
    /// Runs `action` after this much time.
    func schedule(after delay: SchedulerInterval, _ action: @escaping () -> Void)
}

/// An amount of time, at least 0. Numbers are seconds.
public struct SchedulerInterval: Comparable, Hashable, Sendable, ExpressibleByFloatLiteral,
    ExpressibleByIntegerLiteral
{
    /// In seconds.
    public let timeInterval: TimeInterval

    init(timeInterval: TimeInterval) {
        self.timeInterval = timeInterval.isFinite ? min(max(0, timeInterval), 1e9) : 1e9
    }

    public init(floatLiteral value: Double) { self.init(timeInterval: value) }
    public init(integerLiteral value: Int) { self.init(timeInterval: Double(value)) }

    public static func seconds(_ value: Double) -> Self { Self(timeInterval: value) }
    public static func seconds(_ value: Int) -> Self { Self(timeInterval: Double(value)) }
    public static func milliseconds(_ value: Int) -> Self {
        Self(timeInterval: Double(value) / 1e3)
    }
    public static func microseconds(_ value: Int) -> Self {
        Self(timeInterval: Double(value) / 1e6)
    }
    public static func nanoseconds(_ value: Int) -> Self {
        Self(timeInterval: Double(value) / 1e9)
    }

    public static func < (left: Self, right: Self) -> Bool {
        left.timeInterval < right.timeInterval
    }
}

/// A closure that is transferred to another thread.
///
/// `@unchecked Sendable`: its owner transfers it, and it runs where the owner has chosen.
private struct Handover: @unchecked Sendable {
    let run: () -> Void
}

extension DispatchQueue: Scheduler {
    public func schedule(_ action: @escaping () -> Void) {
        let handover = Handover(run: action)
        async { handover.run() }
    }

    public func schedule(after delay: SchedulerInterval, _ action: @escaping () -> Void) {
        let handover = Handover(run: action)
        asyncAfter(deadline: .now() + delay.timeInterval) { handover.run() }
    }
}

extension OperationQueue: Scheduler {
    public func schedule(_ action: @escaping () -> Void) {
        let handover = Handover(run: action)
        addOperation { handover.run() }
    }

    public func schedule(after delay: SchedulerInterval, _ action: @escaping () -> Void) {
        let handover = Handover(run: action)
        DispatchQueue.global().asyncAfter(deadline: .now() + delay.timeInterval) { [self] in
            addOperation { handover.run() }
        }
    }
}

extension RunLoop: Scheduler {
    public func schedule(_ action: @escaping () -> Void) {
        schedule(after: 0, action)
    }

    public func schedule(after delay: SchedulerInterval, _ action: @escaping () -> Void) {
        let handover = Handover(run: action)
        // The main run loop serves the main queue, and is woken by it.
        if self === RunLoop.main {
            DispatchQueue.main.asyncAfter(deadline: .now() + delay.timeInterval) { handover.run() }
        } else {
            add(
                Timer(timeInterval: delay.timeInterval, repeats: false) { _ in handover.run() },
                forMode: .common)
        }
    }
}

/// Runs closures immediately, on the thread that schedules them.
public struct ImmediateScheduler: Scheduler, Sendable {
    public static let shared = ImmediateScheduler()

    public func schedule(_ action: @escaping () -> Void) {
        action()
    }

    public func schedule(after delay: SchedulerInterval, _ action: @escaping () -> Void) {
        action()
    }
}
