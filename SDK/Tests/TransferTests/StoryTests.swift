// SPDX-License-Identifier: Apache-2.0

import BGRunURLSession
import BackgroundTasks
import BackgroundTasksTesting
import Testing
import UIKit

@testable import iOSTransfers5
@testable import iOSTransfers6

/// A download manager that was written for iOS, from a push to the file, in either language mode.
@Suite("An unchanged iOS download manager", .timeLimit(.minutes(5)))
struct StoryTests {
    private let push = "com.example.podcasts.push"
    private let first = "https://example.com/1.mp3"
    private let second = "https://example.com/2.mp3"

    private func scheduler() -> SimulatedScheduler {
        SimulatedScheduler(tasks: [Podcasts.session: .transfer, push: .push])
    }

    @Test("runs if it is written for Swift 5")
    func swift5() async throws {
        try await scheduler().run(self) { scheduler in
            await scheduler.launchApp(iOSTransfers5.AppDelegate.self)
            try await play(scheduler)
            let manager = await iOSTransfers5.DownloadManager.shared
            await check(manager.episodes, manager.progress, manager.failures, manager.titles())
            try? FileManager.default.removeItem(at: manager.directory)
        }
    }

    @Test("runs if it is written for Swift 6")
    func swift6() async throws {
        try await scheduler().run(self) { scheduler in
            await scheduler.launchApp(iOSTransfers6.AppDelegate.self)
            try await play(scheduler)
            let manager = await iOSTransfers6.DownloadManager.shared
            await check(manager.episodes, manager.progress, manager.failures, manager.titles())
            try? FileManager.default.removeItem(at: manager.directory)
        }
    }

    private func play(_ scheduler: SimulatedScheduler) async throws {
        let pushed = try await scheduler.simulatePushes(
            forTaskWithIdentifier: push,
            payloads: [
                #"{"aps": {"content-available": 1}, "episode": "\#(first)", "title": "One"}"#,
                #"{"aps": {"content-available": 1}}"#,
                #"{"aps": {"content-available": 1}, "episode": "\#(second)", "title": "Two"}"#,
            ])
        #expect(try await pushed.completion().message == "new data")
        try await pushed.end()
        let asked = scheduler.transfers.map(\.request)
        #expect(asked.map(\.description) == ["One", "Two"])
        #expect(asked.allSatisfy { $0.options.isSuperset(of: [.discretionary, .noMetered]) })
        #expect(asked.allSatisfy { $0.headersJSON == #"{"Accept":"audio\/*"}"# })

        try scheduler.failTransfer(of: second, with: .timedOut)
        try scheduler.finishTransfer(of: first, with: Data("music".utf8))
        let woken = try await scheduler.simulateLaunch(forTaskWithIdentifier: Podcasts.session)
        #expect(try await woken.completion().success)
        try await woken.end()
        #expect(scheduler.transfers.isEmpty)
    }

    private func check(
        _ episodes: [String: URL], _ progress: [Int: Double], _ failures: [URLError],
        _ titles: [String]
    ) {
        #expect(episodes.keys.sorted() == ["One"])
        #expect(episodes["One"].flatMap { try? String(contentsOf: $0, encoding: .utf8) } == "music")
        #expect(progress.values.sorted() == [0, 1])
        #expect(failures.map(\.code) == [.timedOut])
        #expect(titles.isEmpty)
    }
}

extension SimulatedScheduler {
    /// Like `run`, but passes the scheduler.
    fileprivate func run(
        _ story: StoryTests, _ body: (SimulatedScheduler) async throws -> Void
    ) async throws {
        try await run { try await body(self) }
    }
}
