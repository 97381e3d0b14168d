// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import BackgroundTasksTesting
import Foundation
import SwiftUI
import Testing

struct ContentView: View {
    @State private var count = 0

    var body: some View {
        VStack {
            Text("Stormy \(count)").padding()
            if count > 3 {
                Text("very")
            } else {
                EmptyView()
            }
        }
        .onAppear { count += 1 }
    }
}

struct StormyApp: App {
    @UIApplicationDelegateAdaptor(StormyDelegate.self) private var delegate
    @Environment(\.scenePhase) private var scenePhase

    init() {
        Recorder.add("init")
    }

    var body: some Scene {
        WindowGroup {
            ContentView()
        }
        .onChange(of: scenePhase) { old, new in
            Recorder.add("\(old) to \(new)")
        }
        .onChange(of: scenePhase) { phase in
            if phase == .background { schedule() }
        }
        .backgroundTask(.appRefresh("com.example.stormy.refresh")) {
            await Recorder.add("refresh for \(delegate.city)")
        }
        .backgroundTask(.appRefresh("com.example.stormy.slow")) {
            PluginRuntime.current.log(.info, "waits")
            while !Task.isCancelled { await Task.yield() }
        }
        .backgroundTask(.urlSession("com.example.stormy.photos")) {
            await Recorder.add("photos")
        }
        .backgroundTask(.urlSession(matching: { $0.hasSuffix(".maps") })) { session in
            await Recorder.add("maps of \(session)")
        }
    }

    private func schedule() {
        let request = BGAppRefreshTaskRequest(identifier: "com.example.stormy.refresh")
        request.earliestBeginDate = Date(timeIntervalSinceNow: 15 * 60)
        try? BGTaskScheduler.shared.submit(request)
    }
}

class StormyDelegate: NSObject, UIApplicationDelegate {
    let city = "Kiel"

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        Recorder.add("launched")
        return true
    }

    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        Recorder.add("delegate: \(identifier)")
        completionHandler()
    }
}

@Suite(.timeLimit(.minutes(5))) struct AppTests {
    private let scheduler = SimulatedScheduler(
        tasks: [
            "com.example.stormy.refresh": .appRefresh, "com.example.stormy.slow": .appRefresh,
            "com.example.stormy.photos": .transfer, "com.example.stormy.north.maps": .transfer,
            "com.example.stormy.other": .transfer,
        ])

    @Test("At launch an app is created, its delegate is called, and its handlers are registered")
    func launch() async throws {
        await scheduler.run {
            await scheduler.launchApp(StormyApp.self)
            #expect(await Recorder.events == ["init", "launched"])
        }
        #expect(
            scheduler.registeredIdentifiers == [
                "com.example.stormy.refresh", "com.example.stormy.slow",
            ])
    }

    @Test("An action that returns has completed its task")
    func implicitCompletion() async throws {
        try await scheduler.run {
            await scheduler.launchApp(StormyApp.self)
            let attempt = try await launching("com.example.stormy.refresh")
            #expect(try await attempt.completion() == SimulatedAttempt.Completion(success: true))
            #expect(await Recorder.events.last == "refresh for Kiel")
        }
    }

    @Test("Expiration cancels the Swift task of an action")
    func cancellation() async throws {
        try await scheduler.run {
            await scheduler.launchApp(StormyApp.self)
            let attempt = try await launching("com.example.stormy.slow")
            try await scheduler.logged("waits")
            try await scheduler.simulateExpiration(
                forTaskWithIdentifier: "com.example.stormy.slow")
            let expected = SimulatedAttempt.Completion(success: false, isExpired: true)
            #expect(try await attempt.completion() == expected)
        }
    }

    @Test("An app that is launched in the background gets no notification of entering it")
    func firstAttempt() async throws {
        try await scheduler.run {
            await scheduler.launchApp(StormyApp.self)
            for _ in 0..<2 {
                let attempt = try await launching("com.example.stormy.photos")
                #expect(try await attempt.completion().success)
                try await attempt.end()
            }
            #expect(
                await Recorder.events == [
                    "init", "launched", "photos", "photos",
                ])
        }
        #expect(scheduler.pendingRequests.isEmpty)
    }

    @Test("A person who opens and leaves the app changes the scene phase")
    func person() async throws {
        await scheduler.run {
            await scheduler.launchApp(StormyApp.self)
            await scheduler.enterForeground()
            #expect(scheduler.pendingRequests.isEmpty)
            await scheduler.enterBackground()
            #expect(
                await Recorder.events.suffix(3) == [
                    "inactive to active", "active to inactive", "inactive to background",
                ])
        }
        #expect(scheduler.pendingRequests.map(\.identifier) == ["com.example.stormy.refresh"])
    }

    @Test(
        "Events of a session go to the first action that matches, else to the delegate",
        arguments: [
            ("com.example.stormy.photos", "photos"),
            ("com.example.stormy.north.maps", "maps of com.example.stormy.north.maps"),
            ("com.example.stormy.other", "delegate: com.example.stormy.other"),
        ])
    func sessions(identifier: String, expected: String) async throws {
        try await scheduler.run {
            await scheduler.launchApp(StormyApp.self)
            let attempt = try await launching(identifier)
            #expect(try await attempt.completion().success)
            #expect(await Recorder.events.last == expected)
        }
    }

    @Test("An action for an identifier with a handler is misuse, an undeclared one is logged")
    func registration() async throws {
        let scheduler = SimulatedScheduler(tasks: ["com.example.stormy.refresh": .appRefresh])
        try await scheduler.run {
            await scheduler.launchApp(TwiceApp.self)
            try await scheduler.logged("com.example.stormy.typo")
        }
        #expect(scheduler.misuses.count == 1)
        #expect(scheduler.registeredIdentifiers == ["com.example.stormy.refresh"])
    }

    @Test("A plugin without a window can have its processing in a scene")
    func processing() async throws {
        let scheduler = SimulatedScheduler(tasks: ["com.example.plugin.clean": .processing])
        try await scheduler.run {
            await scheduler.launchApp(PlainPlugin.self)
            try BGTaskScheduler.shared.submit(
                BGProcessingTaskRequest(identifier: "com.example.plugin.clean"))
            let attempt = try await scheduler.simulateLaunch(
                forTaskWithIdentifier: "com.example.plugin.clean")
            #expect(try await attempt.completion().success)
            #expect(await Recorder.events == ["cleaned"])
        }
    }

    private func launching(_ identifier: String) async throws -> SimulatedAttempt {
        try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: identifier))
        return try await scheduler.simulateLaunch(forTaskWithIdentifier: identifier)
    }
}

struct PlainPlugin: App {
    var body: some Scene {
        BackgroundScene()
            .backgroundTask(.processing("com.example.plugin.clean")) {
                await Recorder.add("cleaned")
            }
    }
}

struct TwiceApp: App {
    var body: some Scene {
        WindowGroup("First", id: "first") { Text("first") }
        WindowGroup { Text("second") }
            .backgroundTask(.appRefresh("com.example.stormy.refresh")) {}
            .backgroundTask(.appRefresh("com.example.stormy.refresh")) {}
            .backgroundTask(.appRefresh("com.example.stormy.typo")) {}
    }
}
