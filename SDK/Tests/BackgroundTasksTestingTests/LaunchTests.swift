// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import BackgroundTasksTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct LaunchTests {
    private let identifier = "com.example.app.clean"
    private let scheduler = SimulatedScheduler(
        app: "com.example.app", tasks: ["com.example.app.clean": .processing])

    @Test("A task that was not scheduled cannot be launched")
    func notScheduled() async throws {
        await scheduler.run {
            scheduler.launchApp { register(identifier) }
            await #expect(throws: SimulationError.notScheduled(identifier)) {
                try await scheduler.simulateLaunch(forTaskWithIdentifier: identifier)
            }
        }
    }

    @Test("A launch before the launch of the app is an error of the test")
    func notLaunched() async throws {
        try await scheduler.run {
            try submitting(identifier)
            await #expect(throws: SimulationError.notLaunched) {
                try await scheduler.simulateLaunch(forTaskWithIdentifier: identifier)
            }
        }
    }

    @Test("A launch consumes the pending request, whatever it waits for")
    func launch() async throws {
        try await scheduler.run {
            scheduler.launchApp { register(identifier) }
            try submitting(identifier, after: 3600)
            let attempt = try await scheduler.simulateLaunch(forTaskWithIdentifier: identifier)
            #expect(scheduler.pendingRequests.isEmpty)
            #expect(
                try await attempt.completion() == SimulatedAttempt.Completion(success: true))
            try await attempt.end()
            #expect(attempt.isOver)
        }
    }

    @Test("A task without a handler fails with a list of the handlers")
    func noHandler() async throws {
        try await scheduler.run {
            scheduler.launchApp {}
            try submitting(identifier)
            let attempt = try await scheduler.simulateLaunch(forTaskWithIdentifier: identifier)
            let completion = try await attempt.completion()
            #expect(!completion.success)
            #expect(completion.message?.contains("No launch handler registered") == true)
        }
    }

    @Test("One attempt runs at a time")
    func busy() async throws {
        try await scheduler.run {
            scheduler.launchApp {
                BGTaskScheduler.shared.register(
                    forTaskWithIdentifier: identifier, using: nil
                ) { _ in }
            }
            try submitting(identifier)
            try await scheduler.simulateLaunch(forTaskWithIdentifier: identifier)
            try submitting(identifier)
            await #expect(throws: SimulationError.busy(identifier)) {
                try await scheduler.simulateLaunch(forTaskWithIdentifier: identifier)
            }
        }
    }

    @Test("An undeclared identifier is not registered; a second or late registration is misuse")
    func registration() async throws {
        await scheduler.run {
            scheduler.launchApp {
                #expect(!registering("com.example.app.typo"))
                #expect(registering(identifier))
                #expect(!registering(identifier))
            }
            #expect(!registering("com.example.app.clean"))
        }
        #expect(scheduler.registeredIdentifiers == [identifier])
        #expect(scheduler.misuses.count == 2)
    }

    private func registering(_ identifier: String) -> Bool {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { _ in }
    }

    @Test("Progress, titles and the log are recorded")
    func recording() async throws {
        let scheduler = SimulatedScheduler(tasks: ["com.example.app.export": .continued])
        try await scheduler.run {
            scheduler.launchApp {
                BGTaskScheduler.shared.register(
                    forTaskWithIdentifier: "com.example.app.export", using: nil
                ) { task in
                    guard let task = task as? BGContinuedProcessingTask else { return }
                    task.progress.totalUnitCount = 2
                    task.progress.completedUnitCount = 1
                    task.updateTitle("Exporting", subtitle: "1 of 2 complete")
                    task.attempt.log(.warning, "nearly there")
                    task.setTaskCompleted(success: true)
                }
            }
            try BGTaskScheduler.shared.submit(
                BGContinuedProcessingTaskRequest(
                    identifier: "com.example.app.export", title: "Export",
                    subtitle: "0 of 2 complete"))
            let attempt = try await scheduler.simulateLaunch(
                forTaskWithIdentifier: "com.example.app.export")
            try await attempt.progress(reaches: 1)
            try await scheduler.logged("nearly there")
            #expect(try await attempt.completion().success)
            await #expect(throws: SimulationError.ended("com.example.app.export")) {
                try await attempt.progress(reaches: 2)
            }
            #expect(attempt.progress.last == SimulatedAttempt.Progress(completed: 1, total: 2))
            #expect(attempt.title == "Exporting")
            #expect(attempt.subtitle == "1 of 2 complete")
        }
        #expect(
            scheduler.log.last
                == SimulatedScheduler.LogLine(level: .warning, message: "nearly there"))
    }

    @Test("A checkpoint stays after a failure and is removed after a success")
    func checkpoints() async throws {
        try await scheduler.run {
            scheduler.launchApp {
                BGTaskScheduler.shared.register(
                    forTaskWithIdentifier: identifier, using: nil
                ) { task in
                    let page: Int? = try? task.checkpoint()
                    try? task.saveCheckpoint((page ?? 0) + 1)
                    task.setTaskCompleted(success: page == 1)
                }
            }
            for (expected, left) in [(false, 1), (true, nil)] as [(Bool, Int?)] {
                try submitting(identifier)
                let attempt = try await scheduler.simulateLaunch(forTaskWithIdentifier: identifier)
                try await attempt.checkpoint()
                #expect(try await attempt.completion().success == expected)
                try await attempt.end()
                #expect(try scheduler.checkpoint(for: identifier, as: Int.self) == left)
            }
        }
        #expect(scheduler.attempts.map(\.number) == [1, 2])
    }

    @Test("Each scheduler is a separate app", arguments: 0..<8)
    func isolation(number: Int) async throws {
        try await scheduler.run {
            scheduler.launchApp { register(identifier) }
            try submitting(identifier)
            let attempt = try await scheduler.simulateLaunch(forTaskWithIdentifier: identifier)
            #expect(try await attempt.completion().success)
        }
        #expect(scheduler.attempts.count == 1)
        #expect(scheduler.misuses.isEmpty)
    }
}
