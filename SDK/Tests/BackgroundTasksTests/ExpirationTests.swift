// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import BackgroundTasks
import CBGRunPlugin
import Foundation
import Synchronization
import Testing
import UIKit

@Suite("Expiration", .timeLimit(.minutes(5)))
struct ExpirationTests {
    /// Launches a task whose launch handler is `body`, and expires it after `body` has returned.
    private func expire(
        reason: UInt32 = BGRUN_REASON_TIME, _ body: @escaping (BGTask) -> Void
    ) async -> (attempt: FakeAttempt, task: BGTask?) {
        let isSet = Gate()
        let tasks = Notes<BGTask>()
        let host = FakeHost { scheduler in
            scheduler.register(forTaskWithIdentifier: "refresh", using: nil) { task in
                tasks.add(task)
                body(task)
                isSet.open()
            }
        }
        let attempt = host.launch("refresh")
        await isSet.opened()
        attempt.expire(reason)
        await attempt.returned()
        return (attempt, tasks.all.first)
    }

    @Test("without an expiration handler the task ends at once, without success")
    func noHandler() async {
        let (attempt, _) = await expire { _ in }
        #expect(await attempt.completion?.success == false)
        #expect(await attempt.completion?.message == "expired without an expiration handler")
    }

    /// Runs an attempt whose time is revoked while its launch handler, on the main thread, begins
    /// `assertion`. The attempt ends when it has no assertion.
    private func run(
        revokedBy assertion: String, _ begin: @escaping @MainActor () -> Void
    ) async {
        let host = FakeHost { scheduler in
            scheduler.register(forTaskWithIdentifier: "refresh", using: .main) { task in
                task.expirationHandler = { task.setTaskCompleted(success: false) }
                MainActor.assumeIsolated { begin() }
            }
        }
        let attempt = FakeAttempt(host, "refresh")
        attempt.state.withLock { $0.revokingAssertion = assertion }
        attempt.start()
        await attempt.returned()
        let state = attempt.state.withLock { $0 }
        #expect(state.isTold && state.assertions.isEmpty)
    }

    @Test("a background task that begins as time is revoked is expired once")
    func backgroundTaskAtRevocation() async {
        let calls = Notes<Bool>()
        await run(revokedBy: "save") {
            var saving = UIBackgroundTaskIdentifier.invalid
            saving = UIApplication.shared.beginBackgroundTask(withName: "save") {
                calls.add(saving != .invalid)
                UIApplication.shared.endBackgroundTask(saving)
                saving = .invalid
            }
        }
        #expect(calls.all == [true])
    }

    @Test("an activity that begins as time is revoked is called once as expired")
    func activityAtRevocation() async {
        let calls = Notes<Bool>()
        let isCalled = Gate()
        await run(revokedBy: "index") {
            ProcessInfo.processInfo.performExpiringActivity(withReason: "index") { isExpired in
                calls.add(isExpired)
                isCalled.open()
            }
        }
        await isCalled.opened()
        // This is the queue of the activity: a second call would begin before this block.
        await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .utility).async { continuation.resume() }
        }
        #expect(calls.all == [true])
    }

    @Test("expirationHandler is nil again once it has run")
    func clearedAfterUse() async {
        let calls = Notes<Bool>()
        let (_, task) = await expire { task in
            task.expirationHandler = {
                calls.add(task.expirationHandler != nil)
                task.setTaskCompleted(success: false)
            }
        }
        #expect(calls.all == [true])
        #expect(task != nil && task?.expirationHandler == nil)
    }

    @Test("expirationHandler is nil after setTaskCompleted, and stays so")
    func clearedAfterCompletion() async {
        let tasks = Notes<BGTask>()
        let host = FakeHost { scheduler in
            scheduler.register(forTaskWithIdentifier: "refresh", using: nil) { task in
                tasks.add(task)
                task.expirationHandler = {}
                task.setTaskCompleted(success: true)
            }
        }
        await host.launch("refresh").returned()
        let task = tasks.all.first
        #expect(task != nil && task?.expirationHandler == nil)
        task?.expirationHandler = {}
        #expect(task?.expirationHandler == nil)
    }

    @Test("the first of two completions counts, also if the second is from the work")
    func firstCompletionWins() async {
        let (attempt, _) = await expire { task in
            task.expirationHandler = {
                task.setTaskCompleted(success: false)
                task.setTaskCompleted(success: true)
            }
        }
        #expect(await attempt.completion?.success == false)
    }

    @Test(
        "onExpiration receives the reason and the grace",
        arguments: [
            (BGRUN_REASON_POWER_LOST, PluginExpiration.Reason.powerLost),
            (BGRUN_REASON_MANIFEST_CHANGED, .manifestChanged), (99, .other),
        ])
    func reason(given: UInt32, expected: PluginExpiration.Reason) async {
        let told = Notes<PluginExpiration>()
        _ = await expire(reason: given) { task in
            task.onExpiration { expiration in
                told.add(expiration)
                task.setTaskCompleted(success: false)
            }
        }
        #expect(told.all.map(\.reason) == [expected])
        #expect(told.all.map(\.grace) == [.seconds(5)])
    }

    @Test(
        "a launch handler that could not start before time was revoked is not called",
        .timeLimit(.minutes(1)), arguments: [.zero, .milliseconds(100)] as [Duration])
    func revokedBeforeStart(after delay: Duration) async {
        let queue = DispatchQueue(label: "held")
        queue.suspend()
        let calls = Notes<Int>()
        let host = FakeHost { scheduler in
            scheduler.register(forTaskWithIdentifier: "refresh", using: queue) { _ in calls.add(1) }
        }
        let attempt = host.launch("refresh")
        try? await Task.sleep(for: delay)  // after the longer delay the launch waits in the queue
        attempt.expire()
        while attempt.state.withLock({ $0.completion }) == nil, !Task.isCancelled {
            await Task.yield()
        }
        queue.resume()
        let completion = await attempt.completion
        #expect(completion?.success == false && completion?.isAbandoned == false)
        #expect(calls.all.isEmpty)
    }

    @Test("a task whose time is revoked before its launch ends without its handler being called")
    func revokedBeforeLaunch() async {
        let calls = Notes<Int>()
        let host = FakeHost { scheduler in
            scheduler.register(forTaskWithIdentifier: "refresh", using: nil) { _ in calls.add(1) }
        }
        let attempt = FakeAttempt(host, "refresh")
        attempt.expire()
        attempt.start()
        #expect(await attempt.completion?.success == false)
        #expect(calls.all.isEmpty)
    }

    @Test("isExpired is true at once")
    func polled() async {
        let answers = Notes<Bool>()
        _ = await expire { task in
            answers.add(task.isExpired)
            task.expirationHandler = {
                answers.add(task.isExpired)
                answers.add(task.shouldDefer)
                task.setTaskCompleted(success: false)
            }
        }
        #expect(answers.all == [false, true, true])
    }
}
