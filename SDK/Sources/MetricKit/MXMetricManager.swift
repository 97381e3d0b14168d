// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
@_exported import Foundation
import Synchronization
public import os

/// Measures the attempts of the app, and delivers the sums of each day to subscribers once, later.
///
/// Measures the attempts in which the app uses the manager; the worker processes of an app share the
/// sums. At the start of an attempt, or when the user uses the app, subscribers receive one
/// undelivered payload for each UTC day before the current one; a subscriber added while the attempt
/// runs receives them immediately. A subscriber added at launch misses none. Days are kept for a
/// week.
public final class MXMetricManager: NSObject, Sendable {
    /// The manager of the app. Under `BackgroundTasksTesting` it keeps its days in memory.
    public class var shared: MXMetricManager {
        managers.current { runtime in
            let isApp = runtime === PluginRuntime.process
            let file = isApp ? MetricStore.file(app: runtime.appIdentifier ?? "app") : nil
            return MXMetricManager(runtime, store: MetricStore(file: file))
        }
    }

    private static let managers = PerRuntime<MXMetricManager>()

    private struct State {
        var subscribers: [Subscriber] = []
        var meter: AttemptMeter?
    }

    /// The delivery of an attempt, also for subscribers that are added later.
    private struct Delivery {
        weak var task: PluginTask?
        var days: [MetricDay]?
        var receivers: [Subscriber] = []
    }

    private let runtime: PluginRuntime
    private let store: MetricStore
    private let now: @Sendable () -> Date
    private let state = Mutex(State())
    private let delivery = Mutex(Delivery())

    /// - Parameter now: the current date, which determines the day of an attempt.
    package init(
        _ runtime: PluginRuntime, store: MetricStore,
        now: @escaping @Sendable () -> Date = Date.init
    ) {
        self.runtime = runtime
        self.store = store
        self.now = now
        super.init()
        runtime.add(
            PluginObserver(
                willLaunch: { [weak self] in self?.begin($0) },
                willExpire: { [weak self] _ in
                    self?.state.withLock { $0.meter?.isExpired = true }
                },
                didEnd: { [weak self] in self?.end($0) }))
        if let task = runningTask, !task.isVisit {
            state.withLock { $0.meter = $0.meter ?? AttemptMeter(task) }
        }
    }

    /// The attempt that the manager is used in.
    private var runningTask: PluginTask? { runtime.currentTask.flatMap { $0.isOver ? nil : $0 } }

    /// The payloads of the last week that were delivered.
    public var pastPayloads: [MXMetricPayload] {
        store.history.delivered(at: now()).map(MXMetricPayload.init)
    }

    /// Always empty: bgrun creates no diagnostics; see `bgrun history` for attempts that crashed.
    public var pastDiagnosticPayloads: [MXDiagnosticPayload] { [] }

    /// Adds a subscriber, which is not retained.
    public func add(_ subscriber: any MXMetricManagerSubscriber) {
        state.withLock { [subscriber = Subscriber(value: subscriber)] state in
            state.subscribers.removeAll { $0.value == nil || $0.value === subscriber.value }
            state.subscribers.append(subscriber)
        }
        InheritedDelegate.warn(of: type(of: subscriber), "MXMetricManagerSubscriber", runtime) {
            $0 is any MXMetricManagerSubscriber.Type
        }
        if let runningTask { deliver(to: [Subscriber(value: subscriber)], in: runningTask) }
    }

    /// Removes a subscriber; ignores one that was not added.
    public func remove(_ subscriber: any MXMetricManagerSubscriber) {
        state.withLock { [subscriber = Subscriber(value: subscriber)] state in
            state.subscribers.removeAll { $0.value == nil || $0.value === subscriber.value }
        }
    }

    /// Inert for MetricKit: a log whose signposts are not counted. Its messages go to the log of the
    /// attempt.
    public class func makeLogHandle(category: String) -> OSLog {
        OSLog(subsystem: "com.apple.metrickit.log", category: category)
    }

    // MARK: attempts

    private func begin(_ task: PluginTask) {
        if !task.isVisit { state.withLock { $0.meter = AttemptMeter(task) } }
        deliver(to: state.withLock { $0.subscribers.filter { $0.value != nil } }, in: task)
    }

    private func deliver(to subscribers: [Subscriber], in task: PluginTask) {
        let (days, receivers) = take(for: subscribers, in: task)
        guard !days.isEmpty, !receivers.isEmpty else { return }
        let payloads = days.map(MXMetricPayload.init)
        // As on iOS, not on the main thread; the attempt stays open until they have returned.
        task.hold()
        DispatchQueue.global(qos: .utility).async { [runtime] in
            runtime.withCurrent {
                for receiver in receivers { receiver.value?.didReceive(payloads) }
            }
            task.release()
        }
    }

    /// The days of the attempt, and the subscribers that have not received them.
    private func take(
        for subscribers: [Subscriber], in task: PluginTask
    ) -> (days: [MetricDay], receivers: [Subscriber]) {
        guard !subscribers.isEmpty else { return ([], []) }
        return delivery.withLock { delivery in
            if delivery.task !== task { delivery = Delivery(task: task) }
            guard let days = delivery.days ?? stored({ $0.takeUndelivered(at: $1) }) else {
                return ([], [])
            }
            let known = delivery.receivers
            let receivers = subscribers.filter { subscriber in
                !known.contains { $0.value === subscriber.value }
            }
            delivery.days = days
            delivery.receivers += receivers
            return (days, receivers)
        }
    }

    private func end(_ task: PluginTask) {
        let meter = state.withLock { state in
            defer { state.meter = nil }
            return state.meter
        }
        guard let meter, !task.isVisit else { return }
        let figures = meter.read(version: AppVersion.short)
        _ = stored { $0.record(figures, at: $1) }
    }

    /// Changes the stored data; logs a failure and returns nil.
    private func stored<Result: Sendable>(
        _ body: (inout MetricHistory, Date) -> Result
    ) -> Result? {
        do {
            return try store.change { body(&$0, now()) }
        } catch {
            runtime.log(.warning, "the metrics of the app are not stored: \(error)")
            return nil
        }
    }
}

/// `@unchecked Sendable`: as on iOS, a subscriber is called on a thread of the manager.
private struct Subscriber: @unchecked Sendable {
    weak var value: (any MXMetricManagerSubscriber)?
}

/// Receives the payloads of each day. Both methods are called on a thread of the manager.
public protocol MXMetricManagerSubscriber: NSObjectProtocol {
    /// Days that have ended, each delivered once.
    func didReceive(_ payloads: [MXMetricPayload])
    /// Never called.
    func didReceive(_ payloads: [MXDiagnosticPayload])
}

extension MXMetricManagerSubscriber {
    public func didReceive(_ payloads: [MXMetricPayload]) {}
    public func didReceive(_ payloads: [MXDiagnosticPayload]) {}
}
