// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import BackgroundTasksTesting
import Testing

@testable import Stormy

@Suite struct StormyTests {
    private let scheduler = SimulatedScheduler(
        tasks: [
            "com.example.stormy.refresh": .appRefresh, "com.example.stormy.tidy": .processing,
            "com.example.stormy.warning": .push,
        ])

    @Test("A person who leaves the app has a refresh scheduled")
    func schedules() async throws {
        await scheduler.run {
            await scheduler.launchApp(StormyApp.self)
            await scheduler.enterForeground()
            await scheduler.enterBackground()
        }
        #expect(scheduler.pendingRequests.map(\.identifier) == ["com.example.stormy.refresh"])
    }

    @Test("A refresh that is expired before the report has come asks for the next all the same")
    func expires() async throws {
        try await scheduler.run {
            await scheduler.launchApp(StormyApp.self)
            scheduleRefresh()
            let attempt = try await scheduler.simulateLaunch(
                forTaskWithIdentifier: "com.example.stormy.refresh")
            try await scheduler.simulateExpiration(
                forTaskWithIdentifier: "com.example.stormy.refresh")
            #expect(try await !attempt.completion().success)
        }
        #expect(scheduler.pendingRequests.map(\.identifier) == ["com.example.stormy.refresh"])
    }

    @Test("A warning for a city is new data, and one for none is not")
    func warns() async throws {
        try await scheduler.run {
            await scheduler.launchApp(StormyApp.self)
            for (payload, message) in [(#"{"city": "Kiel"}"#, "new data"), ("{}", "no data")] {
                let attempt = try await scheduler.simulatePush(
                    forTaskWithIdentifier: "com.example.stormy.warning", payload: payload)
                #expect(try await attempt.completion().message == message)
                try await attempt.end()
            }
        }
    }
}
