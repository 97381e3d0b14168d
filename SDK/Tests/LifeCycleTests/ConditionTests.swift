// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import BackgroundTasksTesting
import Foundation
import Network
import Testing
import UIKit

@Suite(.timeLimit(.minutes(2))) struct ConditionTests {
    private let identifier = "com.example.app.refresh"
    private let scheduler = SimulatedScheduler(tasks: ["com.example.app.refresh": .appRefresh])

    @Test("Unknown readings have the values of a device without restrictions")
    func unknown() async throws {
        await scheduler.run {
            await scheduler.launchApp(SilentDelegate.self)
            #expect(!ProcessInfo.processInfo.isLowPowerModeEnabled)
            #expect(ProcessInfo.processInfo.thermalState == .nominal)
            #expect(await UIApplication.shared.backgroundRefreshStatus == .available)
        }
    }

    @Test(
        "The refresh status is that of the switch, and denied in low-power mode",
        arguments: [
            (.restricted, false, .restricted), (.denied, false, .denied),
            (.available, false, .available), (.available, true, .denied),
            (.restricted, true, .restricted),
        ] as [(PluginDevice.BackgroundRefresh, Bool, UIBackgroundRefreshStatus)])
    func refreshStatus(
        refresh: PluginDevice.BackgroundRefresh, isLow: Bool, expected: UIBackgroundRefreshStatus
    ) async throws {
        try await scheduler.run {
            await scheduler.launchApp(SilentDelegate.self)
            try submitRequest()
            await scheduler.changeDevice { device in
                device.backgroundRefresh = refresh
                device.isLowPowerModeEnabled = isLow
            }
            let attempt = try await scheduler.simulateLaunch(forTaskWithIdentifier: identifier)
            try await attempt.end()
            #expect(await UIApplication.shared.backgroundRefreshStatus == expected)
        }
    }

    @Test(
        "A change during an attempt is read at once and posted, also to new observers",
        arguments: [true, false])
    func duringAttempt(observesAtFirst: Bool) async throws {
        try await scheduler.run {
            scheduler.launchApp {
                BGTaskScheduler.shared.register(
                    forTaskWithIdentifier: identifier, using: nil
                ) { task in
                    task.expirationHandler = { task.setTaskCompleted(success: false) }
                }
            }
            var observers = observesAtFirst ? observe() : []
            try submitRequest()
            let attempt = try await scheduler.simulateLaunch(forTaskWithIdentifier: identifier)
            if !observesAtFirst { observers = observe() }
            await scheduler.changeDevice { device in
                device.isLowPowerModeEnabled = true
                device.thermalState = .critical
            }
            #expect(ProcessInfo.processInfo.isLowPowerModeEnabled)
            #expect(ProcessInfo.processInfo.thermalState == .critical)
            #expect(await UIApplication.shared.backgroundRefreshStatus == .denied)
            for name in Self.names { try await scheduler.logged(name.rawValue) }
            try await scheduler.simulateExpiration(forTaskWithIdentifier: identifier)
            try await attempt.end()
            for observer in observers { NotificationCenter.default.removeObserver(observer) }
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
            let observers = observe()
            try await attempt()
            #expect(posted.isEmpty)
            await scheduler.changeDevice { device in
                device.isLowPowerModeEnabled = true
                device.thermalState = .fair
            }
            try await attempt()
            #expect(Set(posted) == Set(Self.names.map(\.rawValue)))
            try await attempt()
            #expect(posted.count == 3)
            for observer in observers { NotificationCenter.default.removeObserver(observer) }
        }
    }

    @Test("In didFinishLaunching the values are those of the device, and only changes are posted")
    func atLaunch() async throws {
        await scheduler.changeDevice { device in
            device.isLowPowerModeEnabled = true
            device.thermalState = .serious
            device.batteryPercent = 42
        }
        try await scheduler.run {
            await scheduler.launchApp(LaunchReader.self)
            #expect(scheduler.log.map(\.message) == ["at launch: true, 2, denied, 0.42"])
            let observers = observe()
            try await attempt()
            #expect(posted.isEmpty)
            await scheduler.changeDevice { $0.isLowPowerModeEnabled = false }
            try await attempt()
            #expect(
                Set(posted) == [
                    NSNotification.Name.NSProcessInfoPowerStateDidChange.rawValue,
                    UIApplication.backgroundRefreshStatusDidChangeNotification.rawValue,
                ])
            for observer in observers { NotificationCenter.default.removeObserver(observer) }
        }
    }

    @Test("The first attempt posts the changes since launch")
    func firstAttempt() async throws {
        try await scheduler.run {
            await scheduler.launchApp(SilentDelegate.self)
            let observers = observe()
            await scheduler.changeDevice { device in
                device.isLowPowerModeEnabled = true
                device.thermalState = .fair
            }
            try await attempt()
            #expect(Set(posted) == Set(Self.names.map(\.rawValue)))
            for observer in observers { NotificationCenter.default.removeObserver(observer) }
        }
    }

    @Test("The device and new path monitors keep the last readings after an attempt")
    func afterAttempt() async throws {
        try await scheduler.run {
            await scheduler.launchApp(SilentDelegate.self)
            await scheduler.changeDevice { device in
                device.batteryPercent = 42
                device.hasNetwork = false
            }
            try await attempt()
            #expect(await MainActor.run { UIDevice.current.batteryLevel } == 0.42)
            #expect(NWPathMonitor().currentPath.status == .unsatisfied)
        }
    }

    private static var names: [NSNotification.Name] {
        [
            NSNotification.Name.NSProcessInfoPowerStateDidChange,
            ProcessInfo.thermalStateDidChangeNotification,
            UIApplication.backgroundRefreshStatusDidChangeNotification,
        ]
    }

    /// Logs each notification of this app.
    private func observe() -> [any NSObjectProtocol] {
        let runtime = PluginRuntime.current
        return Self.names.map { name in
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
                guard PluginRuntime.current === runtime else { return }
                runtime.log(.info, name.rawValue)
            }
        }
    }

    private func submitRequest() throws {
        try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: identifier))
    }

    private var posted: [String] {
        scheduler.log.map(\.message).filter {
            $0.hasPrefix("NSProcessInfo") || $0.hasPrefix("UIApplication")
        }
    }

    /// Runs one attempt, without a launch handler.
    private func attempt() async throws {
        try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: identifier))
        let attempt = try await scheduler.simulateLaunch(forTaskWithIdentifier: identifier)
        try await attempt.end()
    }
}

/// Logs the conditions when the app is launched.
final class LaunchReader: NSObject, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let (process, status) = (ProcessInfo.processInfo, application.backgroundRefreshStatus)
        PluginRuntime.current.log(
            .info,
            "at launch: \(process.isLowPowerModeEnabled), \(process.thermalState.rawValue), "
                + "\(status), \(UIDevice.current.batteryLevel)")
        return true
    }
}
