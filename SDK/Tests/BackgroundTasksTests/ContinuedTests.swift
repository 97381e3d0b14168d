// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import CBGRunPlugin
import Foundation
import Synchronization
import Testing

@Suite("Continued processing", .timeLimit(.minutes(5)))
struct ContinuedTests {
    private func run(
        _ parameters: String = "{}",
        _ body: @escaping @Sendable (BGContinuedProcessingTask, FakeAttempt) async throws -> Void
    ) async -> FakeAttempt {
        let attempts = Notes<FakeAttempt>()
        let host = FakeHost(["export": BGRUN_KIND_CONTINUED]) { scheduler in
            scheduler.register("export") { task in
                let task = try #require(task as? BGContinuedProcessingTask)
                try await body(task, try #require(attempts.all.first))
            }
        }
        let attempt = FakeAttempt(
            host, "export", kind: BGRUN_KIND_CONTINUED, parameters: parameters)
        attempts.add(attempt)
        attempt.start()
        await attempt.returned()
        return attempt
    }

    @Test("a value of progress reaches the host at once")
    func progress() async {
        let attempt = await run { task, _ in
            task.progress.totalUnitCount = 3
            for unit in 1...3 { task.progress.completedUnitCount = Int64(unit) }
        }
        #expect(attempt.state.withLock { $0.progress } == ["0/3", "1/3", "2/3", "3/3"])
        #expect(await attempt.completion?.success == true)
    }

    @Test("an observer receives each change of progress before the assignment returns")
    func observation() async {
        let told = Notes<Double>()
        _ = await run { task, _ in
            task.progress.totalUnitCount = 2
            let observation = task.progress.observe(\.fractionCompleted, options: .new) {
                told.add($1.newValue ?? -1)
            }
            for unit in 1...2 { task.progress.completedUnitCount = Int64(unit) }
            observation.invalidate()
            task.progress.completedUnitCount = 0
        }
        #expect(told.all == [0.5, 1])
    }

    @Test("progress of children reaches the host, too")
    func children() async {
        let attempt = await run { task, attempt in
            task.progress.totalUnitCount = 2
            let child = Progress(totalUnitCount: 10, parent: task.progress, pendingUnitCount: 2)
            child.completedUnitCount = 5
            while attempt.state.withLock({ $0.progress.last }) != "500/1000" { await Task.yield() }
        }
        #expect(attempt.state.withLock { $0.progress.last } == "500/1000")
    }

    @Test("the titles are those of the request until updateTitle changes them")
    func titles() async {
        let seen = Notes<String>()
        let attempt = await run(#"{"bgrun.title": "Export", "bgrun.subtitle": "0"}"#) { task, _ in
            seen.add(task.title + task.subtitle)
            task.updateTitle("Exporting", subtitle: "1")
            seen.add(task.title + task.subtitle)
        }
        #expect(seen.all == ["Export0", "Exporting1"])
        #expect(attempt.state.withLock { $0.titles } == ["Export|0", "Exporting|1"])
    }

    @Test("a continued task conforms to ProgressReporting")
    func reporting() async {
        let attempt = await run { task, _ in
            let reporting: any ProgressReporting = task
            #expect(reporting.progress === task.progress)
        }
        #expect(await attempt.completion?.success == true)
    }
}
