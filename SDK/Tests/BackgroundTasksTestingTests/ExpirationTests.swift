// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import BackgroundTasksTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct ExpirationTests {
    private let identifier = "com.example.app.refresh"
    private let scheduler = SimulatedScheduler(tasks: ["com.example.app.refresh": .appRefresh])

    @Test("Expiration calls the handler, which cancels the work")
    func cancels() async throws {
        try await scheduler.run {
            let attempt = try await launching { task in
                let work = Task { [clock = scheduler.clock] in
                    try? await clock.sleep(for: .seconds(3600))
                    task.setTaskCompleted(success: !Task.isCancelled)
                }
                task.expirationHandler = { work.cancel() }
            }
            try await scheduler.simulateExpiration(forTaskWithIdentifier: identifier)
            let completion = try await attempt.completion()
            #expect(!completion.success)
            #expect(completion.isExpired)
        }
    }

    @Test("Without an expiration handler a task ends at once, without success")
    func noHandler() async throws {
        try await scheduler.run {
            let attempt = try await launching { _ in }
            try await scheduler.simulateExpiration(forTaskWithIdentifier: identifier)
            #expect(try await !attempt.completion().success)
        }
    }

    @Test("Time that ends by the clock is revoked with its reason")
    func timeLimit() async throws {
        let reasons = Recorder()
        try await scheduler.run {
            let attempt = try await launching { task in
                task.onExpiration { expiration in
                    reasons.add("\(expiration.reason), \(expiration.grace)")
                    task.setTaskCompleted(success: false)
                }
            }
            await scheduler.advance(by: .seconds(29))
            #expect(!attempt.isExpired)
            await scheduler.advance(by: .seconds(1))
            #expect(try await attempt.completion().isExpired)
        }
        #expect(reasons.values == ["time, 5.0 seconds"])
    }

    @Test("A handler that has not completed after its grace is killed")
    func kill() async throws {
        try await scheduler.run {
            let attempt = try await launching { task in
                task.expirationHandler = {}
            }
            await scheduler.advance(by: .seconds(30))
            #expect(attempt.reported == nil)
            await scheduler.advance(by: .seconds(5))
            #expect(attempt.isOver)
            await #expect(throws: SimulationError.killed(identifier)) {
                try await attempt.completion()
            }
        }
    }

    @Test("A handler can ask whether to stop")
    func deferral() async throws {
        try await scheduler.run {
            let attempt = try await launching { task in
                let clock = scheduler.clock
                Task {
                    while !task.shouldDefer { try? await clock.sleep(for: .seconds(1)) }
                    task.setTaskCompleted(success: false)
                }
                task.expirationHandler = {}
            }
            try await scheduler.clock.waitForSleepers()
            attempt.requestDeferral()
            await scheduler.advance(by: .seconds(1))
            let completion = try await attempt.completion()
            #expect(!completion.success)
            #expect(!completion.isExpired)
        }
    }

    @Test(
        "A lost requirement expires the attempt with that reason",
        arguments: [
            (SimulatedTask.Requirement.externalPower, "powerLost"), (.network, "networkLost"),
            (.unmeteredNetwork, "becameMetered"), (.idle, "userActive"),
        ])
    func lostRequirement(requirement: SimulatedTask.Requirement, reason: String) async throws {
        let reasons = Recorder()
        let scheduler = SimulatedScheduler(
            tasks: [identifier: SimulatedTask(.processing, requires: [requirement])])
        try await scheduler.run {
            await scheduler.changeDevice { device in
                device.hasExternalPower = true
                device.hasNetwork = true
                device.isNetworkMetered = false
                device.isUserIdle = true
            }
            scheduler.launchApp {
                BGTaskScheduler.shared.register(
                    forTaskWithIdentifier: identifier, using: nil
                ) { task in
                    task.onExpiration { expiration in
                        reasons.add("\(expiration.reason)")
                        task.setTaskCompleted(success: false)
                    }
                }
            }
            try submitting(identifier)
            let attempt = try #require(try await scheduler.launchDue())
            await scheduler.changeDevice { $0.batteryPercent = 50 }
            #expect(!attempt.isExpired)
            await scheduler.changeDevice { $0 = PluginDevice() }
            #expect(try await attempt.completion().isExpired)
        }
        #expect(reasons.values == [reason])
    }

    @Test("A launch handler that works itself is expired while it works")
    func busyHandler() async throws {
        try await scheduler.run {
            scheduler.launchApp {
                BGTaskScheduler.shared.register(
                    forTaskWithIdentifier: identifier, using: nil
                ) { task in
                    task.expirationHandler = {}
                    task.attempt.log(.info, "works")
                    while !task.isExpired { sched_yield() }
                    task.setTaskCompleted(success: false)
                }
            }
            try submitting(identifier)
            let attempt = try await scheduler.simulateLaunch(
                forTaskWithIdentifier: identifier, waitsForHandler: false)
            try await scheduler.logged("works")
            try await scheduler.simulateExpiration(forTaskWithIdentifier: identifier)
            #expect(try await attempt.completion().isExpired)
        }
    }

    @Test("A task that does not run cannot be expired")
    func notRunning() async throws {
        await scheduler.run {
            scheduler.launchApp {}
            await #expect(throws: SimulationError.notRunning(identifier)) {
                try await scheduler.simulateExpiration(forTaskWithIdentifier: identifier)
            }
        }
    }

    @Test("Waiting for a completion can be cancelled")
    func cancelledWait() async throws {
        try await scheduler.run {
            let attempt = try await launching { $0.expirationHandler = {} }
            let waiting = Task { try await attempt.completion() }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
    }

    private func launching(
        _ handler: @escaping (BGTask) -> Void
    ) async throws -> SimulatedAttempt {
        scheduler.launchApp {
            BGTaskScheduler.shared.register(
                forTaskWithIdentifier: identifier, using: nil, launchHandler: handler)
        }
        try submitting(identifier)
        return try await scheduler.simulateLaunch(forTaskWithIdentifier: identifier)
    }
}

/// The calls, in order.
final class Recorder: Sendable {
    private let added = Mutex<[String]>([])

    func add(_ value: String) {
        added.withLock { $0.append(value) }
    }

    var values: [String] { added.withLock(\.self) }
}
