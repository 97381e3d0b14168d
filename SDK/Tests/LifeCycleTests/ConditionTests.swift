// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import BackgroundTasksTesting
import Foundation
import Testing
import UIKit

@Suite struct ConditionTests {
    private let identifier = "com.example.app.refresh"
    private let scheduler = SimulatedScheduler(tasks: ["com.example.app.refresh": .appRefresh])

    @Test("What the device does not know is harmless")
    func unknown() async throws {
        await scheduler.run {
            await scheduler.launchApp(SilentDelegate.self)
            #expect(!ProcessInfo.processInfo.isLowPowerModeEnabled)
            #expect(ProcessInfo.processInfo.thermalState == .nominal)
            #expect(await UIApplication.shared.backgroundRefreshStatus == .available)
        }
    }

    @Test("Low-power mode and heat are those of the device when the attempt was launched")
    func readings() async throws {
        try await scheduler.run {
            await scheduler.launchApp(SilentDelegate.self)
            await scheduler.changeDevice { device in
                device.isLowPowerModeEnabled = true
                device.thermalState = .serious
            }
            try await attempt()
            #expect(ProcessInfo.processInfo.isLowPowerModeEnabled)
            #expect(ProcessInfo.processInfo.thermalState == .serious)
            #expect(await UIApplication.shared.backgroundRefreshStatus == .denied)
        }
    }

    @Test("A notification is posted when an attempt finds a condition changed, and only then")
    func notifications() async throws {
        try await scheduler.run {
            await scheduler.launchApp(SilentDelegate.self)
            let runtime = PluginRuntime.current
            let names = [
                NSNotification.Name.NSProcessInfoPowerStateDidChange,
                ProcessInfo.thermalStateDidChangeNotification,
                UIApplication.backgroundRefreshStatusDidChangeNotification,
            ]
            let observers = names.map { name in
                NotificationCenter.default.addObserver(
                    forName: name, object: nil, queue: nil
                ) { _ in
                    guard PluginRuntime.current === runtime else { return }
                    runtime.log(.info, name.rawValue)
                }
            }
            try await attempt()
            #expect(posted.isEmpty)
            await scheduler.changeDevice { device in
                device.isLowPowerModeEnabled = true
                device.thermalState = .fair
            }
            try await attempt()
            #expect(Set(posted) == Set(names.map(\.rawValue)))
            try await attempt()
            #expect(posted.count == 3)
            for observer in observers { NotificationCenter.default.removeObserver(observer) }
        }
    }

    private var posted: [String] {
        scheduler.log.map(\.message).filter {
            $0.hasPrefix("NSProcessInfo") || $0.hasPrefix("UIApplication")
        }
    }

    /// One attempt, which nothing handles.
    private func attempt() async throws {
        try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: identifier))
        let attempt = try await scheduler.simulateLaunch(forTaskWithIdentifier: identifier)
        try await attempt.end()
    }
}
