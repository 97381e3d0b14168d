// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import BackgroundTasksTesting
import Foundation
import Network
import Synchronization
import Testing
import UIKit
import UserNotifications
import os

/// The calls in the app of the current scheduler, in order.
@MainActor
private enum Calls {
    private static var all: [ObjectIdentifier: [String]] = [:]

    static func add(_ call: String) {
        all[ObjectIdentifier(PluginRuntime.current), default: []].append(call)
    }

    static var events: [String] { all[ObjectIdentifier(PluginRuntime.current)] ?? [] }
}

private let refresh = "com.example.app.refresh"

class FetchDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        application.setMinimumBackgroundFetchInterval(3600)
        return true
    }

    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler:
            @escaping (UIBackgroundFetchResult) ->
            Void
    ) {
        completionHandler(.newData)
    }

    func applicationWillTerminate(_ application: UIApplication) {
        Calls.add("will terminate")
    }
}

class PlainDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: refresh) { task in
            task.expirationHandler = { task.setTaskCompleted(success: false) }
        }
        return true
    }

    func applicationWillTerminate(_ application: UIApplication) {
        Calls.add("will terminate")
    }
}

/// UIKit finds this class by its name.
class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {
        Calls.add("connected")
    }

    func sceneWillEnterForeground(_ scene: UIScene) { Calls.add("will enter foreground") }
    func sceneDidBecomeActive(_ scene: UIScene) { Calls.add("active") }
    func sceneWillResignActive(_ scene: UIScene) { Calls.add("will resign active") }
    func sceneDidEnterBackground(_ scene: UIScene) { Calls.add("background") }
}

@Suite(.timeLimit(.minutes(1))) struct SymbolTests {
    private let scheduler = SimulatedScheduler(tasks: [refresh: .appRefresh])

    @Test("An app that fetches is launched for a refresh without a handler, and requests the next")
    func fetches() async throws {
        try await scheduler.run {
            await scheduler.launchApp(FetchDelegate.self)
            try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: refresh))
            let attempt = try await scheduler.simulateLaunch(forTaskWithIdentifier: refresh)
            #expect(try await attempt.completion().success)
            #expect(scheduler.pendingRequests.map(\.identifier) == [refresh])
        }
    }

    @Test("A host that ends during an attempt notifies the app of its termination")
    func terminates() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PlainDelegate.self)
            try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: refresh))
            let attempt = try await scheduler.simulateLaunch(forTaskWithIdentifier: refresh)
            let told = NotificationCenter.default.notifications(
                named: UIApplication.willTerminateNotification, object: await UIApplication.shared)
            var iterator = told.makeAsyncIterator()
            try await scheduler.simulateExpiration(
                forTaskWithIdentifier: refresh, reason: .shutdown)
            _ = await iterator.next()
            #expect(await Calls.events.contains("will terminate"))
            #expect(try await !attempt.completion().success)
        }
    }

    @Test(
        "The delegate of the scene is found by its name, and receives the same calls as the app's")
    func scenes() async throws {
        await scheduler.run {
            await scheduler.launchApp(PlainDelegate.self)
            await scheduler.enterForeground()
            await scheduler.enterBackground()
            #expect(
                await Calls.events == [
                    "connected", "will enter foreground", "active", "will resign active",
                    "background",
                ])
            #expect(await UIApplication.shared.connectedScenes.count == 1)
        }
    }

    @Test("An expiring activity keeps the attempt open, and is called again when time is revoked")
    func expiringActivity() async throws {
        try await scheduler.run {
            let calls = OSAllocatedUnfairLock(initialState: [Bool]())
            let revoked = DispatchSemaphore(value: 0)
            BGTaskScheduler.shared.register(forTaskWithIdentifier: refresh) { task in
                ProcessInfo.processInfo.performExpiringActivity(withReason: "index") { isExpired in
                    calls.withLock { $0.append(isExpired) }
                    if isExpired { revoked.signal() } else { revoked.wait() }
                }
                task.setTaskCompleted(success: true)
            }
            scheduler.launchApp {}
            try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: refresh))
            let attempt = try await scheduler.simulateLaunch(forTaskWithIdentifier: refresh)
            #expect(try await attempt.completion().success)
            #expect(attempt.assertions.contains("index"))
            try await scheduler.simulateExpiration(forTaskWithIdentifier: refresh)
            try await attempt.end()
            #expect(calls.withLock { $0 } == [false, true])
        }
    }

    @Test("Outside an attempt an activity is called once as expired")
    func noTime() async {
        let isExpired = await withCheckedContinuation { continuation in
            scheduler.runtimeActivity { continuation.resume(returning: $0) }
        }
        #expect(isExpired)
    }

    @Test("An activity keeps the attempt open until it is ended, and ends with the time")
    func activity() async throws {
        try await scheduler.run {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: refresh) { task in
                let first = ProcessInfo.processInfo.beginActivity(
                    options: .background, reason: "first")
                ProcessInfo.processInfo.endActivity(first)
                let second = ProcessInfo.processInfo.beginActivity(reason: "second")
                task.expirationHandler = {
                    withExtendedLifetime(second) { task.setTaskCompleted(success: false) }
                }
            }
            scheduler.launchApp {}
            try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: refresh))
            let attempt = try await scheduler.simulateLaunch(forTaskWithIdentifier: refresh)
            #expect(Array(attempt.assertions) == ["second"])
            try await scheduler.simulateExpiration(forTaskWithIdentifier: refresh)
            try await attempt.end()
            #expect(attempt.assertions.isEmpty)
        }
    }

    @Test("Messages are written at their level, with private values hidden")
    func logger() async {
        await scheduler.run {
            scheduler.launchApp {}
            let logger = Logger(subsystem: "com.example.app", category: "sync")
            logger.warning(
                "\(3) of \(1.25, format: .fixed(precision: 1)), \("x", privacy: .private)")
            os_log("%{public}@ took %.2f s, 100 %%, %{private}d", type: .error, "sync", 0.5, 42)
            os_log(.debug, log: .disabled, "never")
            os_log("%@ %d", "short")
            #expect(
                scheduler.log.suffix(3) == [
                    .init(level: .warning, message: "[sync] 3 of 1.2, <private>"),
                    .init(level: .error, message: "sync took 0.50 s, 100 %, <private>"),
                    .init(level: .info, message: "short %d"),
                ])
        }
    }

    @Test("A notification is logged and listed as delivered")
    func localNotification() async throws {
        try await scheduler.run {
            scheduler.launchApp {}
            let content = UNMutableNotificationContent()
            content.title = "Done"
            content.body = "3 items"
            let center = UNUserNotificationCenter.current()
            let request = UNNotificationRequest(
                identifier: "symbols", content: content, trigger: nil)
            content.title = "changed too late"
            try await center.add(request)
            try await scheduler.logged("notification symbols: Done | 3 items")
            let delivered = await center.deliveredNotifications().map(\.request.identifier)
            #expect(delivered.contains("symbols"))
            let later = UNNotificationRequest(
                identifier: "later", content: content,
                trigger: UNTimeIntervalNotificationTrigger(timeInterval: 1e6, repeats: false))
            try await center.add(later)
            #expect(await center.pendingNotificationRequests().contains { $0 === later })
            center.removePendingNotificationRequests(withIdentifiers: ["later"])
            #expect(await !center.pendingNotificationRequests().contains { $0 === later })
        }
    }

    @Test(
        "A notification request, also without a trigger, replaces the pending one of its identifier"
    )
    func replacedNotification() async throws {
        try await scheduler.run {
            scheduler.launchApp {}
            let center = UNUserNotificationCenter.current()
            func add(after interval: TimeInterval?) async throws -> UNNotificationRequest {
                let request = UNNotificationRequest(
                    identifier: "x", content: UNMutableNotificationContent(),
                    trigger: interval.map {
                        UNTimeIntervalNotificationTrigger(timeInterval: $0, repeats: false)
                    })
                try await center.add(request)
                return request
            }
            _ = try await add(after: 1e6)
            let second = try await add(after: 2e6)
            let pending = await center.pendingNotificationRequests()
            #expect(pending.count == 1 && pending.first === second)
            let third = try await add(after: nil)
            #expect(await center.pendingNotificationRequests().isEmpty)
            let delivered = await center.deliveredNotifications()
            #expect(delivered.count == 1 && delivered.first?.request === third)
        }
    }

    @Test("A monitor made at launch has the path of the device")
    func pathAtLaunch() async {
        await scheduler.changeDevice { $0.hasNetwork = false }
        let status = Mutex<NWPath.Status?>(nil)
        scheduler.launchApp { status.withLock { $0 = NWPathMonitor().currentPath.status } }
        #expect(status.withLock(\.self) == .unsatisfied)
    }

    @Test("The path is that of the device at launch, and its change is reported")
    func path() async throws {
        try await scheduler.run {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: refresh) { task in
                task.setTaskCompleted(success: true)
            }
            scheduler.launchApp {}
            let monitor = NWPathMonitor()
            #expect(monitor.currentPath.status == .satisfied)
            let (paths, continuation) = AsyncStream<NWPath>.makeStream()
            monitor.pathUpdateHandler = { continuation.yield($0) }
            monitor.start(queue: DispatchQueue(label: "com.example.app.path"))
            var iterator = paths.makeAsyncIterator()
            #expect(await iterator.next()?.isExpensive == false)
            await scheduler.changeDevice { $0.isNetworkMetered = true }
            try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: refresh))
            _ = try await scheduler.simulateLaunch(forTaskWithIdentifier: refresh)
            let path = await iterator.next()
            #expect(path?.isExpensive == true)
            #expect(path?.usesInterfaceType(.cellular) == true)
        }
    }
}

extension SimulatedScheduler {
    /// An activity of an app without an attempt.
    fileprivate func runtimeActivity(_ told: @escaping @Sendable (Bool) -> Void) {
        launchApp {
            ProcessInfo.processInfo.performExpiringActivity(withReason: "none", using: told)
        }
    }
}
