// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import BackgroundTasksTesting
import Foundation
import MetricKit
import Synchronization
import Testing
import os

private let refresh = "com.example.app.refresh"

/// A typical subscriber of an iOS app.
private final class Subscriber: NSObject, MXMetricManagerSubscriber, Sendable {
    let received = Mutex<[[MXMetricPayload]]>([])

    func didReceive(_ payloads: [MXMetricPayload]) {
        received.withLock { $0.append(payloads) }
    }

    var payloads: [[MXMetricPayload]] { received.withLock { $0 } }
}

private class SilentSubscriber: NSObject, MXMetricManagerSubscriber {}

private final class DerivedSubscriber: SilentSubscriber {
    func didReceive(_ payloads: [MXMetricPayload]) {}
}

@Suite("The metrics of an app", .timeLimit(.minutes(1))) struct ManagerTests {
    private let scheduler = SimulatedScheduler(tasks: [refresh: .appRefresh])
    /// Initially 2026-03-01 12:00 UTC; the tests change it.
    private let now = OSAllocatedUnfairLock(
        initialState: Date(timeIntervalSince1970: 1_772_366_400))
    private let store = MetricStore(file: nil)

    private func makeManager() -> MXMetricManager {
        MXMetricManager(.current, store: store, now: { [now] in now.withLock { $0 } })
    }

    private func moveOn(days: Double) {
        now.withLock { $0 += days * 86_400 }
    }

    /// Runs an attempt to its end.
    private func attempt(expires: Bool = false) async throws {
        try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: refresh))
        let attempt = try await scheduler.simulateLaunch(forTaskWithIdentifier: refresh)
        if expires { try await scheduler.simulateExpiration(forTaskWithIdentifier: refresh) }
        try await attempt.end()
    }

    /// Registers a handler that succeeds at once, or runs until it expires.
    private func launch(worksOn: Bool = false) {
        scheduler.launchApp {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: refresh) { task in
                guard worksOn else { return task.setTaskCompleted(success: true) }
                task.expirationHandler = { task.setTaskCompleted(success: false) }
            }
        }
    }

    @Test("A subscriber that inherits the protocol is reported: its own methods are not called")
    func derived() async {
        await scheduler.run {
            launch()
            let manager = makeManager()
            manager.add(SilentSubscriber())
            #expect(scheduler.log.allSatisfy { $0.level != .warning })
            manager.add(DerivedSubscriber())
            #expect(
                scheduler.log.contains {
                    $0.level == .warning
                        && $0.message.contains("inherits MXMetricManagerSubscriber from Silent")
                })
        }
    }

    @Test("A payload of yesterday is delivered once, to each subscriber, when an attempt begins")
    func once() async throws {
        try await scheduler.run {
            let manager = makeManager()
            let subscribers = [Subscriber(), Subscriber()]
            for subscriber in subscribers + subscribers { manager.add(subscriber) }
            launch()
            for _ in 0..<2 { try await attempt() }
            #expect(subscribers.allSatisfy { $0.payloads.isEmpty } && manager.pastPayloads.isEmpty)
            moveOn(days: 1)
            for _ in 0..<2 { try await attempt() }
            for subscriber in subscribers {
                try #require(subscriber.payloads.map(\.count) == [1])
                let payload = subscriber.payloads[0][0]
                #expect(payload.timeStampBegin == Date(timeIntervalSince1970: 1_772_323_200))
                #expect(payload.timeStampEnd == Date(timeIntervalSince1970: 1_772_409_600))
                let exits = payload.applicationExitMetrics?.backgroundExitData
                #expect(exits?.cumulativeNormalAppExitCount == 2)
            }
            #expect(
                manager.pastPayloads.map(\.timeStampEnd.timeIntervalSince1970) == [1_772_409_600])
            moveOn(days: 8)
            #expect(manager.pastPayloads.isEmpty)
            try await attempt()
            #expect(subscribers.allSatisfy { $0.payloads.count == 1 })
        }
    }

    @Test(
        "An attempt whose time is revoked counts as a timeout; time, processor and memory are measured"
    )
    func expired() async throws {
        try await scheduler.run {
            let manager = makeManager()
            let subscriber = Subscriber()
            launch(worksOn: true)
            try await attempt(expires: true)
            moveOn(days: 3)
            // Without a subscriber the day is not delivered.
            try await attempt(expires: true)
            manager.add(subscriber)
            try await attempt(expires: true)
            let payload = try #require(subscriber.payloads.first?.first)
            let exits = try #require(payload.applicationExitMetrics).backgroundExitData
            #expect(exits.cumulativeNormalAppExitCount == 0)
            #expect(exits.cumulativeBackgroundTaskAssertionTimeoutExitCount == 1)
            let time = try #require(payload.applicationTimeMetrics?.cumulativeBackgroundTime)
            #expect(time.converted(to: .seconds).value > 0)
            let cpu = try #require(payload.cpuMetrics?.cumulativeCPUTime)
            #expect((0..<60).contains(cpu.converted(to: .seconds).value))
            let memory = try #require(payload.memoryMetrics?.peakMemoryUsage)
            #expect((1..<100_000).contains(memory.converted(to: .mebibytes).value))
        }
    }

    @Test("A subscriber that was removed, or is released, receives nothing and stops no delivery")
    func removed() async throws {
        try await scheduler.run {
            let manager = makeManager()
            let subscriber = Subscriber()
            let other = Subscriber()
            manager.add(other)
            manager.add(subscriber)
            manager.remove(other)
            do { manager.add(Subscriber()) }
            launch()
            try await attempt()
            moveOn(days: 1)
            try await attempt()
            #expect(subscriber.payloads.count == 1 && other.payloads.isEmpty)
        }
    }

    @Test(
        "A manager first used in a launch handler measures, and gives each subscriber the days once"
    )
    func firstUseInHandler() async throws {
        try await scheduler.run {
            // Each attempt has a new manager, as in a new process.
            let kept = OSAllocatedUnfairLock<MXMetricManager?>(initialState: nil)
            let subscribers = [Subscriber(), Subscriber()]
            scheduler.launchApp {
                BGTaskScheduler.shared.register(forTaskWithIdentifier: refresh) { task in
                    let manager = makeManager()
                    for subscriber in subscribers + subscribers { manager.add(subscriber) }
                    kept.withLock { $0 = manager }
                    task.setTaskCompleted(success: true)
                }
            }
            try await attempt()
            #expect(subscribers.allSatisfy { $0.payloads.isEmpty })
            kept.withLock { $0 = nil }
            moveOn(days: 1)
            try await attempt()
            for subscriber in subscribers {
                try #require(subscriber.payloads.map(\.count) == [1])
                let exits = subscriber.payloads[0][0].applicationExitMetrics?.backgroundExitData
                #expect(exits?.cumulativeNormalAppExitCount == 1)
            }
        }
    }

    @Test("A failure of the store is logged, and the attempt continues")
    func unwritable() async throws {
        try await scheduler.run {
            let store = MetricStore(file: URL(fileURLWithPath: "/dev/null/days.json"))
            let manager = MXMetricManager(.current, store: store)
            launch()
            try await attempt()
            #expect(scheduler.attempts.map(\.reported?.success) == [true])
            #expect(
                scheduler.log.contains { $0.message.hasPrefix("the metrics of the app are not") })
            #expect(manager.pastPayloads.isEmpty)
        }
    }

    @Test("Each app has one manager, which does nothing where bgrun does not measure")
    func shared() async {
        await scheduler.run {
            let manager = MXMetricManager.shared
            #expect(manager === MXMetricManager.shared)
            #expect(manager.pastPayloads.isEmpty && manager.pastDiagnosticPayloads.isEmpty)
            scheduler.launchApp {}
            os_log("begins", log: MXMetricManager.makeLogHandle(category: "export"))
            #expect(scheduler.log.last?.message == "[export] begins")
            let other = SimulatedScheduler(tasks: [:])
            #expect(await other.run { MXMetricManager.shared } !== manager)
        }
    }
}
