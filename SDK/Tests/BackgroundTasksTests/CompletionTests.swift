// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import CBGRunPlugin
import Foundation
import Testing

@Suite("Completion", .timeLimit(.minutes(1)))
struct CompletionTests {
    @Test("a request after setTaskCompleted, before the launch handler returns, is accepted")
    func submitAfterCompletion() async {
        let host = FakeHost { scheduler in
            scheduler.register(forTaskWithIdentifier: "refresh", using: nil) { task in
                task.setTaskCompleted(success: true)
                #expect(throws: Never.self) {
                    try scheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
                }
            }
        }
        #expect(await host.launch("refresh").completion?.success == true)
        #expect(host.submitted.map(\.identifier) == ["refresh"])
    }

    @Test(
        "after the attempt a request is refused as unavailable, with advice")
    func submitTooLate() async {
        let host = FakeHost { scheduler in
            scheduler.register(forTaskWithIdentifier: "refresh", using: nil) { task in
                task.setTaskCompleted(success: true)
            }
        }
        await host.launch("refresh").returned()
        do {
            try host.scheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
            Issue.record("it was taken")
        } catch BGTaskScheduler.Error.unavailable {
        } catch {
            Issue.record(error)
        }
    }

    @Test("work that continues after the launch handler has returned completes the task later")
    func asynchronous() async {
        let hasReturned = Gate()
        let host = FakeHost { scheduler in
            scheduler.register(forTaskWithIdentifier: "refresh", using: nil) { task in
                Task {
                    await hasReturned.opened()
                    task.setTaskCompleted(success: true)
                }
            }
        }
        let attempt = host.launch("refresh")
        hasReturned.open()
        #expect(await attempt.completion?.success == true)
    }

    @Test("withBackgroundTask completes with success when the work returns")
    func workReturns() async {
        #expect(await run { _ in } == FakeAttempt.Completion(success: true))
    }

    @Test(
        "withBackgroundTask completes without success when the work throws, and reports the error")
    func workThrows() async {
        struct Broken: Error {}
        #expect(
            await run { _ in throw Broken() }
                == FakeAttempt.Completion(success: false, message: "Broken()"))
    }

    @Test("withBackgroundTask cancels the work on expiration, and completes without success")
    func workIsCancelled() async {
        let hasStarted = Gate()
        let host = FakeHost { scheduler in
            scheduler.register("refresh") { _ in
                hasStarted.open()
                try? await Task.sleep(for: .seconds(3_600))
                try Task.checkCancellation()
            }
        }
        let attempt = host.launch("refresh")
        await hasStarted.opened()
        attempt.expire()
        #expect(
            await attempt.completion
                == FakeAttempt.Completion(success: false, message: "cancelled"))
    }

    @Test("onCancel runs at once, off the main thread, while work of the main actor is suspended")
    func cancellationHandler() async {
        let hasStarted = Gate()
        let isCancelled = Gate()
        let continues = Gate()
        let notes = Notes<String>()
        let host = FakeHost { scheduler in
            scheduler.register("refresh") { _ in
                await Self.onMainActor {
                    await withTaskCancellationHandler {
                        hasStarted.open()
                        await continues.opened()
                        notes.add("continues")
                    } onCancel: {
                        notes.add("cancelled, on the main thread: \(Thread.isMainThread)")
                        isCancelled.open()
                    }
                }
            }
        }
        let attempt = host.launch("refresh")
        await hasStarted.opened()
        attempt.expire()
        await isCancelled.opened()
        continues.open()
        #expect(await attempt.completion?.success == false)
        #expect(notes.all == ["cancelled, on the main thread: false", "continues"])
    }

    @MainActor
    private static func onMainActor(_ body: @MainActor () async -> Void) async {
        await body()
    }

    @Test("work that returns although it was cancelled is not a success")
    func workIgnoresCancellation() async {
        let hasStarted = Gate()
        let host = FakeHost { scheduler in
            scheduler.register("refresh") { _ in
                hasStarted.open()
                try? await Task.sleep(for: .seconds(3_600))
            }
        }
        let attempt = host.launch("refresh")
        await hasStarted.opened()
        attempt.expire()
        #expect(await attempt.completion?.success == false)
    }

    private func run(
        _ work: @escaping @Sendable (BGTask) async throws -> Void
    ) async -> FakeAttempt.Completion? {
        await FakeHost { $0.register("refresh", work) }.launch("refresh").completion
    }
}
