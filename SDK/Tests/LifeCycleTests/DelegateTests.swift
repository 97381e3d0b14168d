// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import BackgroundTasksTesting
import Foundation
import SwiftUI
import Testing
import UIKit

/// A typical delegate, with every method for background work.
class MailDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?
    let identifier = "com.example.mail.refresh"

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        Recorder.add("launched")
        BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: .main) { task in
            Recorder.add("refresh in state \(application.applicationState)")
            task.setTaskCompleted(success: true)
        }
        return true
    }

    func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        UISceneConfiguration(
            name: "Default Configuration", sessionRole: connectingSceneSession.role)
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        Recorder.add("background")
        try? BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: identifier))
    }

    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        switch userInfo["new"] as? Int {
        case 0: completionHandler(.noData)
        case .some: completionHandler(.newData)
        case nil: completionHandler(.failed)
        }
    }

    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        Recorder.add("session \(identifier)")
        completionHandler()
    }
}

/// The async form, derived from NSObject, without a single init.
class AsyncDelegate: NSObject, UIApplicationDelegate {
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        await withTaskCancellationHandler {
            var reported = false
            while !Task.isCancelled, userInfo["wait"] != nil {
                if !reported { PluginRuntime.current.log(.info, "waits") }
                reported = true
                await Task.yield()
            }
            return Task.isCancelled ? .failed : .newData
        } onCancel: {
        }
    }
}

/// Handles the events of a session in the async form.
class AsyncSessionDelegate: NSObject, UIApplicationDelegate {
    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String
    ) async {
        await Task.yield()
        Recorder.add("session \(identifier)")
        guard identifier.hasSuffix("slow") else { return }
        PluginRuntime.current.log(.info, "waits")
        while !Task.isCancelled { await Task.yield() }
        Recorder.add("cancelled")
    }
}

class SilentDelegate: NSObject, UIApplicationDelegate {}

/// Declares a method that its superclass, which adopts the protocol, does not declare.
class DerivedDelegate: SilentDelegate {
    func applicationDidEnterBackground(_ application: UIApplication) {}
}

/// Creates the delegate with the adaptor.
struct DerivedApp: App {
    @UIApplicationDelegateAdaptor(DerivedDelegate.self) private var delegate

    var body: some Scene { BackgroundScene() }
}

class SilentScene: UIResponder, UIWindowSceneDelegate {}

/// Has a window, as in Xcode's template.
class WindowScene: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {
        Recorder.add("response \(String(describing: connectionOptions.notificationResponse))")
        guard let windowScene = scene as? UIWindowScene else { return }
        window = UIWindow(windowScene: windowScene)
        window?.makeKeyAndVisible()
    }
}

class DerivedWindowScene: WindowScene {}

/// Changes the configuration of the session.
class SessionConfiguringDelegate: NSObject, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        let copy = UISceneConfiguration(
            name: connectingSceneSession.configuration.name,
            sessionRole: connectingSceneSession.role)
        Recorder.add(copy.name ?? "no name")
        let configuration = connectingSceneSession.configuration
        configuration.delegateClass = DerivedWindowScene.self
        return configuration
    }
}

class DerivedScene: SilentScene {
    func sceneDidEnterBackground(_ scene: UIScene) {}
}

/// Names the class of the scene's delegate.
class ConfiguringDelegate: NSObject, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        let configuration = UISceneConfiguration(
            name: nil, sessionRole: connectingSceneSession.role)
        configuration.delegateClass = DerivedScene.self
        return configuration
    }
}

@Suite(.timeLimit(.minutes(5))) struct DelegateTests {
    private let scheduler = SimulatedScheduler(
        tasks: [
            "com.example.mail.refresh": .appRefresh, "com.example.mail.push": .push,
            "com.example.mail.session": .transfer,
        ])

    @Test("A delegate that inherits the protocol is reported: its own methods are not called")
    func derived() async throws {
        try await scheduler.run {
            await scheduler.launchApp(DerivedDelegate.self)
            try await scheduler.logged(
                "DerivedDelegate inherits UIApplicationDelegate from SilentDelegate")
        }
        let quiet = SimulatedScheduler(tasks: [:])
        await quiet.run { await quiet.launchApp(SilentDelegate.self) }
        #expect(quiet.log.isEmpty)
    }

    @Test("A delegate that the adaptor creates is reported in the same way")
    func derivedByAdaptor() async {
        await scheduler.run {
            await scheduler.launchApp(DerivedApp.self)
        }
        #expect(
            scheduler.warns("DerivedDelegate inherits UIApplicationDelegate from SilentDelegate"))
    }

    @Test("The delegate of a scene is reported in the same way")
    func derivedScene() async {
        await scheduler.run {
            await scheduler.launchApp(ConfiguringDelegate.self)
            await scheduler.enterForeground()
        }
        #expect(scheduler.warns("DerivedScene inherits UISceneDelegate from SilentScene"))
    }

    @Test("A delegate that is set later is reported once")
    @MainActor func derivedLater() async {
        await scheduler.run {
            scheduler.launchApp(SilentDelegate.self)
            let delegate = DerivedDelegate()
            UIApplication.shared.delegate = delegate
            UIApplication.shared.delegate = delegate
        }
        let text = "DerivedDelegate inherits UIApplicationDelegate from SilentDelegate"
        #expect(scheduler.log.count { $0.message.contains(text) } == 1)
    }

    @Test("A session has its configuration and its scene, whose delegate has its window")
    @MainActor func configuration() async throws {
        try await scheduler.run {
            scheduler.launchApp(SessionConfiguringDelegate.self)
            scheduler.enterForeground()
            #expect(Recorder.events == ["Default Configuration", "response nil"])
            let scene = try #require(UIApplication.shared.connectedScenes.first)
            #expect(scene.session.scene === scene)
            #expect(scene.session.configuration.delegateClass == DerivedWindowScene.self)
            let delegate = try #require(scene.delegate as? any UIWindowSceneDelegate)
            let window = try #require(delegate.window)
            #expect(window?.windowScene === scene)
            (scene.delegate as? WindowScene)?.window = nil
            let none = try #require((scene.delegate as? any UIWindowSceneDelegate)?.window)
            #expect(none == nil)
            #expect((SilentScene() as any UIWindowSceneDelegate).window == nil)
        }
    }

    @Test(
        "A delegate is notified of the launch, and of entering the background only when a user leaves the app"
    )
    func order() async throws {
        try await scheduler.run {
            await scheduler.launchApp(MailDelegate.self)
            try BGTaskScheduler.shared.submit(
                BGAppRefreshTaskRequest(identifier: "com.example.mail.refresh"))
            for _ in 0..<2 {
                let attempt = try await scheduler.simulateLaunch(
                    forTaskWithIdentifier: "com.example.mail.refresh")
                #expect(try await attempt.completion().success)
                try await attempt.end()
                await scheduler.enterBackground()
            }
            #expect(
                await Recorder.events == [
                    "launched", "refresh in state background", "background",
                    "refresh in state background", "background",
                ])
        }
    }

    @Test(
        "The fetch result completes a push",
        arguments: [
            (#"{"new": 2}"#, SimulatedAttempt.Completion(success: true, message: "new data")),
            (#"{"new": 0}"#, SimulatedAttempt.Completion(success: true, message: "no data")),
            ("{}", SimulatedAttempt.Completion(success: false, message: "failed")),
        ])
    func push(payload: String, expected: SimulatedAttempt.Completion) async throws {
        try await scheduler.run {
            await scheduler.launchApp(MailDelegate.self)
            let attempt = try await scheduler.simulatePush(
                forTaskWithIdentifier: "com.example.mail.push", payload: payload)
            #expect(try await attempt.completion() == expected)
        }
    }

    @Test("The async form of a push is used if the delegate has no other")
    func asyncPush() async throws {
        try await scheduler.run {
            await scheduler.launchApp(AsyncDelegate.self)
            let attempt = try await scheduler.simulatePush(
                forTaskWithIdentifier: "com.example.mail.push", payload: "{}")
            #expect(try await attempt.completion().message == "new data")
        }
    }

    @Test("Expiration cancels the async form of a push")
    func asyncPushExpires() async throws {
        try await scheduler.run {
            await scheduler.launchApp(AsyncDelegate.self)
            let attempt = try await scheduler.simulatePush(
                forTaskWithIdentifier: "com.example.mail.push", payload: #"{"wait": true}"#)
            try await scheduler.logged("waits")
            try await scheduler.simulateExpiration(forTaskWithIdentifier: "com.example.mail.push")
            let expected = SimulatedAttempt.Completion(
                success: false, message: "failed", isExpired: true)
            #expect(try await attempt.completion() == expected)
        }
    }

    @Test(
        "A push to a delegate without didReceiveRemoteNotification fails, and the log names the method"
    )
    func unhandledPush() async throws {
        try await scheduler.run {
            await scheduler.launchApp(SilentDelegate.self)
            let attempt = try await scheduler.simulatePush(
                forTaskWithIdentifier: "com.example.mail.push", payload: "{}")
            #expect(try await !attempt.completion().success)
            try await scheduler.logged("didReceiveRemoteNotification")
        }
    }

    @Test("Events of a session reach the delegate, whose handler completes the attempt")
    func session() async throws {
        try await scheduler.run {
            await scheduler.launchApp(MailDelegate.self)
            try BGTaskScheduler.shared.submit(
                BGProcessingTaskRequest(identifier: "com.example.mail.session"))
            let attempt = try await scheduler.simulateLaunch(
                forTaskWithIdentifier: "com.example.mail.session")
            #expect(try await attempt.completion().success)
            #expect(await Recorder.events.last == "session com.example.mail.session")
        }
    }

    @Test("The async form receives the events of a session, and its return completes the attempt")
    func asyncSession() async throws {
        try await scheduler.run {
            await scheduler.launchApp(AsyncSessionDelegate.self)
            try BGTaskScheduler.shared.submit(
                BGProcessingTaskRequest(identifier: "com.example.mail.session"))
            let attempt = try await scheduler.simulateLaunch(
                forTaskWithIdentifier: "com.example.mail.session")
            #expect(try await attempt.completion().success)
            #expect(await Recorder.events == ["session com.example.mail.session"])
        }
    }

    @Test("Expiration cancels the async form that receives the events of a session")
    func asyncSessionExpires() async throws {
        let identifier = "com.example.mail.session.slow"
        let scheduler = SimulatedScheduler(tasks: [identifier: .transfer])
        try await scheduler.run {
            await scheduler.launchApp(AsyncSessionDelegate.self)
            try BGTaskScheduler.shared.submit(BGProcessingTaskRequest(identifier: identifier))
            let attempt = try await scheduler.simulateLaunch(forTaskWithIdentifier: identifier)
            try await scheduler.logged("waits")
            try await scheduler.simulateExpiration(forTaskWithIdentifier: identifier)
            #expect(try await attempt.completion().isExpired)
            #expect(await Recorder.events == ["session \(identifier)", "cancelled"])
        }
    }
}

extension SimulatedScheduler {
    fileprivate func warns(_ text: String) -> Bool {
        log.contains { $0.level == .warning && $0.message.contains(text) }
    }
}
