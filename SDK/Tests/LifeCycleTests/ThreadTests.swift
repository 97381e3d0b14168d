// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import BackgroundTasksTesting
import Foundation
import Testing
import UIKit
import iOSLife5
import iOSLife6

@Suite("Threads of the app", .timeLimit(.minutes(5)))
struct ThreadTests {
    @Test("Swift 5 code uses the application on any thread")
    func swift5() async {
        let state = await withCheckedContinuation { continuation in
            iOSLife5.StateSaver().saveEssentialState { continuation.resume(returning: $0) }
        }
        #expect(state == .background)
        let links = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: iOSLife5.chainOfThisThread())
            }
        }
        #expect(links == 1)
    }

    @Test("Swift 5 code reads the battery and the scenes on the queue of its launch handler")
    func readings() async throws {
        let scheduler = SimulatedScheduler(tasks: [ReadingDelegate.identifier: .appRefresh])
        try await scheduler.run {
            await scheduler.launchApp(ReadingDelegate.self)
            await scheduler.changeDevice { $0.batteryPercent = 50 }
            await scheduler.enterForeground()
            await scheduler.enterBackground()
            try BGTaskScheduler.shared.submit(
                BGAppRefreshTaskRequest(identifier: ReadingDelegate.identifier))
            let attempt = try await scheduler.simulateLaunch(
                forTaskWithIdentifier: ReadingDelegate.identifier)
            #expect(try await attempt.completion().success)
            let found = try #require(ReadingDelegate.found)
            #expect(found == (0.5, 1))
        }
    }

    @Test("Swift 5 code reads scenes, delegate and state on another thread while they change")
    func scenes() async {
        let scheduler = SimulatedScheduler(tasks: [ReadingDelegate.identifier: .appRefresh])
        await scheduler.run {
            await scheduler.launchApp(ReadingDelegate.self)
            let reader = SceneReader(await UIApplication.shared)
            let (counts, continuation) = AsyncStream.makeStream(of: Int.self)
            reader.read { continuation.yield($0) }
            let first = await counts.first { _ in true }
            #expect(first == 0)
            await scheduler.enterForeground()
            await MainActor.run { UIApplication.shared.delegate = ReadingDelegate() }
            reader.stop()
            let last = await counts.first { _ in true }
            #expect(last == 1)
        }
    }

    @Test("Swift 6 code uses the application from another actor")
    func swift6() async {
        #expect(await iOSLife6.StateSaver().saveEssentialState() == .background)
    }

    @Test("Concurrent threads get the same application")
    func oneApplication() async {
        let runtime = PluginRuntime()
        let identities = await withTaskGroup { group in
            for _ in 0..<16 {
                group.addTask {
                    await runtime.withCurrent {
                        await ObjectIdentifier(UIApplication.shared)
                    }
                }
            }
            return await group.reduce(into: Set<ObjectIdentifier>()) { $0.insert($1) }
        }
        #expect(identities.count == 1)
    }
}
