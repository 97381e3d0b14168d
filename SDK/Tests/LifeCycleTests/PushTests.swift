// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import BackgroundTasksTesting
import Foundation
import Testing
import UIKit

/// Answers each push with the result it names, from another thread, and records each push.
class NewsDelegate: NSObject, UIApplicationDelegate {
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler:
            @escaping @Sendable (UIBackgroundFetchResult) -> Void
    ) {
        let number = userInfo["number"] as? Int ?? 0
        let result = UIBackgroundFetchResult(rawValue: userInfo["result"] as? UInt ?? 0)
        Recorder.add("push \(number)")
        Thread.detachNewThread {
            completionHandler(result ?? .failed)
            completionHandler(.failed)
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct PushTests {
    private let identifier = "com.example.news.push"
    private let scheduler = SimulatedScheduler(tasks: ["com.example.news.push": .push])

    private func payload(_ number: Int, _ result: UIBackgroundFetchResult) -> String {
        #"{"number": \#(number), "result": \#(result.rawValue)}"#
    }

    @Test(
        "Every held push is delivered, oldest first, and the strongest result completes the attempt",
        arguments: [
            ([.noData, .noData], "no data"), ([.newData, .noData], "new data"),
            ([.noData, .newData, .noData], "new data"), ([.failed, .newData], "failed"),
            ([.newData], "new data"),
        ] as [([UIBackgroundFetchResult], String)])
    func held(results: [UIBackgroundFetchResult], expected: String) async throws {
        try await scheduler.run {
            await scheduler.launchApp(NewsDelegate.self)
            let attempt = try await scheduler.simulatePushes(
                forTaskWithIdentifier: identifier,
                payloads: results.enumerated().map { payload($0 + 1, $1) })
            let completion = try await attempt.completion()
            #expect(completion.message == expected)
            #expect(completion.success == (expected != "failed"))
            #expect(await Recorder.events == results.indices.map { "push \($0 + 1)" })
        }
    }

    @Test("Pushes of a failed attempt are delivered again, those of others are not")
    func again() async throws {
        try await scheduler.run {
            await scheduler.launchApp(NewsDelegate.self)
            for (number, result) in [(1, UIBackgroundFetchResult.failed), (2, .newData)] {
                let attempt = try await scheduler.simulatePush(
                    forTaskWithIdentifier: identifier, payload: payload(number, result))
                try await attempt.end()
            }
            // The first push fails again.
            let expected = ["push 1", "push 1", "push 2"]
            #expect(await Recorder.events == expected)
            #expect(scheduler.heldPushes(forTaskWithIdentifier: identifier).count == 2)
        }
    }

    @Test("A handled push is no longer held")
    func gone() async throws {
        try await scheduler.run {
            await scheduler.launchApp(NewsDelegate.self)
            let attempt = try await scheduler.simulatePush(
                forTaskWithIdentifier: identifier, payload: payload(1, .noData))
            try await attempt.end()
            #expect(scheduler.heldPushes(forTaskWithIdentifier: identifier).isEmpty)
        }
    }

    @Test("A request without a held push delivers its parameters")
    func parameters() async throws {
        try await scheduler.run {
            await scheduler.launchApp(NewsDelegate.self)
            try PluginRuntime.current.submit(
                PluginRequest(identifier: identifier, parametersJSON: payload(7, .noData)))
            let attempt = try await scheduler.simulateLaunch(forTaskWithIdentifier: identifier)
            #expect(try await attempt.completion().message == "no data")
            #expect(await Recorder.events == ["push 7"])
        }
    }
}
