// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import BackgroundTasksTesting
import Foundation
import Testing
import UIKit

@Suite(.timeLimit(.minutes(5))) struct AssertionTests {
    private let identifier = "com.example.app.save"
    private let scheduler = SimulatedScheduler(tasks: ["com.example.app.save": .processing])

    @Test("An assertion holds the attempt open after its completion, until it is ended")
    func holds() async throws {
        try await scheduler.run {
            let attempt = try await launching { task in
                let saving = UIApplication.shared.beginBackgroundTask(withName: "save")
                #expect(saving != .invalid)
                task.setTaskCompleted(success: true)
                Task { [clock = scheduler.clock] in
                    try? await clock.sleep(for: .seconds(5))
                    UIApplication.shared.endBackgroundTask(saving)
                }
            }
            #expect(try await attempt.completion().success)
            try await scheduler.clock.waitForSleepers()
            #expect(attempt.assertions.contains("save"))
            #expect(!attempt.isOver)
            await scheduler.advance(by: .seconds(5))
            try await attempt.end()
            #expect(attempt.assertions.isEmpty)
        }
    }

    @Test("Expiration calls the handler of an assertion, on the main actor")
    func expires() async throws {
        try await scheduler.run {
            let attempt = try await launching { task in
                var saving = UIBackgroundTaskIdentifier.invalid
                saving = UIApplication.shared.beginBackgroundTask(withName: "save") {
                    MainActor.assertIsolated()
                    Recorder.add("expired")
                    UIApplication.shared.endBackgroundTask(saving)
                    saving = .invalid
                }
                task.setTaskCompleted(success: true)
            }
            try await scheduler.simulateExpiration(forTaskWithIdentifier: identifier)
            try await attempt.end()
            #expect(await Recorder.events == ["expired"])
            #expect(attempt.reported == SimulatedAttempt.Completion(success: true))
        }
    }

    @Test("Time remaining is that of the attempt: until it expires, then its grace")
    func timeRemaining() async throws {
        try await scheduler.run {
            _ = try await launching { $0.expirationHandler = {} }
            #expect(await UIApplication.shared.backgroundTimeRemaining == 600)
            await scheduler.advance(by: .seconds(500))
            #expect(await UIApplication.shared.backgroundTimeRemaining == 100)
            await scheduler.advance(by: .seconds(100))
            #expect(await UIApplication.shared.backgroundTimeRemaining == 5)
            #expect(await UIApplication.shared.beginBackgroundTask() == .invalid)
        }
    }

    @Test("Outside an attempt no time is given, and ending an invalid assertion is harmless")
    func invalid() async {
        await scheduler.run {
            let begun = await UIApplication.shared.beginBackgroundTask(withName: "early")
            #expect(begun == .invalid)
            #expect(await UIApplication.shared.backgroundTimeRemaining == 0)
            await UIApplication.shared.endBackgroundTask(.invalid)
        }
    }

    private func launching(
        _ handler: @escaping @MainActor (BGTask) -> Void
    ) async throws -> SimulatedAttempt {
        scheduler.launchApp {
            BGTaskScheduler.shared.register(
                forTaskWithIdentifier: identifier, using: .main
            ) { task in
                MainActor.assumeIsolated { handler(task) }
            }
        }
        try BGTaskScheduler.shared.submit(BGProcessingTaskRequest(identifier: identifier))
        return try await scheduler.simulateLaunch(forTaskWithIdentifier: identifier)
    }
}
