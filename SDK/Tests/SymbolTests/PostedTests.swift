// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import BackgroundTasksTesting
import Combine
import Foundation
import Glibc
import Testing
import UIKit
import os

private let refresh = "com.example.app.refresh"

@Suite("Notifications that apps subscribe to", .timeLimit(.minutes(5)))
struct PostedTests {
    /// All notifications that the SDK posts. The first access to those of ProcessInfo starts the comparison
    /// of conditions, for the current app.
    private static var names: [Notification.Name] {
        [
            .NSProcessInfoPowerStateDidChange, ProcessInfo.thermalStateDidChangeNotification,
            UIApplication.didFinishLaunchingNotification,
            UIApplication.willEnterForegroundNotification,
            UIApplication.didBecomeActiveNotification, UIApplication.willResignActiveNotification,
            UIApplication.didEnterBackgroundNotification,
            UIApplication.backgroundRefreshStatusDidChangeNotification,
            UIApplication.willTerminateNotification, UIScene.willConnectNotification,
            UIScene.willEnterForegroundNotification, UIScene.didActivateNotification,
            UIScene.willDeactivateNotification, UIScene.didEnterBackgroundNotification,
        ]
    }

    /// Runs in a separate process: the apps of other tests post the same names.
    @Test("A sink of Combine and notifications(named:) receive each one once, from its object")
    func posted() async {
        await #expect(processExitsWith: .success) {
            // The time limit of the suite does not end this process.
            alarm(240)
            let scheduler = SimulatedScheduler(tasks: [refresh: .appRefresh])
            try await scheduler.run {
                let center = NotificationCenter.default
                let names = Self.names
                let sunk = OSAllocatedUnfairLock(initialState: [String]())
                var bag = Set<AnyCancellable>()
                for name in names {
                    center.publisher(for: name)
                        .sink { posted in
                            let text = Self.text(of: posted)
                            sunk.withLock { $0.append(text) }
                        }
                        .store(in: &bag)
                }
                var iterators = names.map { center.notifications(named: $0).makeAsyncIterator() }
                try await Self.live(under: scheduler)
                // Ends each sequence after the notifications that it has received.
                withUnsafeCurrentTask { $0?.cancel() }
                var expected: [String] = []
                var iterated: [String] = []
                for (place, name) in names.enumerated() {
                    expected.append("\(name.rawValue) of \(Self.poster(of: name))")
                    while let posted = await iterators[place].next() {
                        iterated.append(Self.text(of: posted))
                    }
                }
                #expect(sunk.withLock { $0 }.sorted() == expected.sorted())
                #expect(iterated == expected)
                withExtendedLifetime(bag) {}
            }
        }
    }

    private static func poster(of name: Notification.Name) -> String {
        if name.rawValue.hasPrefix("NSProcessInfo") { return "ProcessInfo" }
        return name.rawValue.hasPrefix("UIScene") ? "UIWindowScene" : "UIApplication"
    }

    private static func text(of posted: Notification) -> String {
        "\(posted.name.rawValue) of \(posted.object.map { "\(type(of: $0))" } ?? "nothing")"
    }

    /// Causes every notification: a person opens the app, the device changes, the host ends.
    private static func live(under scheduler: SimulatedScheduler) async throws {
        await scheduler.launchApp(PlainDelegate.self)
        await scheduler.enterForeground()
        await scheduler.enterBackground()
        try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: refresh))
        let attempt = try await scheduler.simulateLaunch(forTaskWithIdentifier: refresh)
        await scheduler.changeDevice { device in
            device.isLowPowerModeEnabled = true
            device.thermalState = .critical
        }
        try await scheduler.simulateExpiration(forTaskWithIdentifier: refresh, reason: .shutdown)
        try await attempt.end()
        // Notifications that are posted on the main actor were enqueued before this.
        await MainActor.run {}
    }
}
