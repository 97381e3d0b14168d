// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import BackgroundTasksTesting
import SwiftUI
import Testing
import UIKit
import iOSMain5
import iOSMain6

@Suite("Apps whose module is isolated to the main actor", .timeLimit(.minutes(5)))
struct MainActorTests {
    @Test("A delegate, its scenes and its launch handler work, in either language mode")
    func delegate() async throws {
        try await run(iOSMain5.NewsDelegate.self, iOSMain5.NewsDelegate.identifier)
        try await run(iOSMain6.NewsDelegate.self, iOSMain6.NewsDelegate.identifier)
        let expected = ["scene in the background", "refreshed 2"]
        #expect(await iOSMain5.NewsDelegate.events == expected)
        #expect(await iOSMain6.NewsDelegate.events == expected)
    }

    @MainActor
    private func run(_ type: (some UIApplicationDelegate).Type, _ identifier: String) async throws {
        let scheduler = SimulatedScheduler(tasks: [identifier: .appRefresh])
        try await scheduler.run {
            scheduler.launchApp(type)
            scheduler.enterForeground()
            scheduler.enterBackground()
            let attempt = try await scheduler.simulateLaunch(forTaskWithIdentifier: identifier)
            #expect(try await attempt.completion().success)
        }
    }

    @Test("A SwiftUI app and its background task work, in either language mode")
    func app() async throws {
        try await run(iOSMain5.LibraryApp.self, iOSMain5.LibraryApp.identifier)
        try await run(iOSMain6.LibraryApp.self, iOSMain6.LibraryApp.identifier)
        #expect(await iOSMain5.LibraryApp.refreshes == 1)
        #expect(await iOSMain6.LibraryApp.refreshes == 1)
    }

    @MainActor
    private func run(_ type: (some App).Type, _ identifier: String) async throws {
        let scheduler = SimulatedScheduler(tasks: [identifier: .appRefresh])
        try await scheduler.run {
            scheduler.launchApp(type)
            scheduler.enterForeground()
            scheduler.enterBackground()
            let attempt = try await scheduler.simulateLaunch(forTaskWithIdentifier: identifier)
            #expect(try await attempt.completion().success)
            #expect(scheduler.pendingRequests.map(\.identifier) == [identifier])
        }
    }
}
