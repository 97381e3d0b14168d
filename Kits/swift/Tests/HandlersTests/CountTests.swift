// SPDX-License-Identifier: Apache-2.0 OR 0BSD

import BackgroundTasks
import BackgroundTasksTesting
import Handlers
import Testing

private let identifier = "com.example.kit-name.count"

/// Runs `body` with the app launched, and a request of the task pending.
private func withApp(
    parameters: String, _ body: (SimulatedScheduler) async throws -> Void
) async throws {
    let scheduler = SimulatedScheduler(
        tasks: [identifier: SimulatedTask(.processing, parameters: parameters)])
    try await scheduler.run {
        scheduler.launchApp { registerHandlers() }
        try BGTaskScheduler.shared.submit(BGProcessingTaskRequest(identifier: identifier))
        try await body(scheduler)
    }
}

@Test("each piece is reported, and then the task is complete")
func completes() async throws {
    try await withApp(parameters: #"{"pieces": 2, "milliseconds": 0}"#) { scheduler in
        let attempt = try await scheduler.simulateLaunch(forTaskWithIdentifier: identifier)
        #expect(try await attempt.completion().success)
        #expect(attempt.progress.map(\.completed) == [1, 2])
        #expect(attempt.checkpoints.count == 2)
    }
}

@Test("it stops in a piece when its time is revoked")
func stops() async throws {
    try await withApp(parameters: #"{"pieces": 2, "milliseconds": 3600000}"#) { scheduler in
        let attempt = try await scheduler.simulateLaunch(forTaskWithIdentifier: identifier)
        try await scheduler.simulateExpiration(forTaskWithIdentifier: identifier)
        let completion = try await attempt.completion()
        #expect(!completion.success)
        #expect(completion.message == "stopped after 0 of 2 pieces")
    }
}

@Test("it stops between two pieces when it is asked to, and continues there")
func continues() async throws {
    try await withApp(parameters: #"{"pieces": 1000000, "milliseconds": 1}"#) { scheduler in
        let first = try await scheduler.simulateLaunch(forTaskWithIdentifier: identifier)
        try await first.progress(reaches: 1)
        first.requestDeferral()
        #expect(try await !first.completion().success)
        try await first.end()

        let next = try #require(first.progress.last).completed + 1
        try BGTaskScheduler.shared.submit(
            BGProcessingTaskRequest(identifier: identifier), parameters: ["pieces": next])
        let second = try await scheduler.simulateLaunch(forTaskWithIdentifier: identifier)
        #expect(try await second.completion().success)
        #expect(second.progress.map(\.completed) == [next])
    }
}
