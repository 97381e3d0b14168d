// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import BackgroundTasksTesting
import Foundation
import Synchronization
import Testing
import UIKit

@testable import UserNotifications

private let refresh = "com.example.app.refresh"

/// Logs the notification and the queue of the call.
private func logQuestion(_ notification: UNNotification) {
    let isMain = DispatchQueue.getSpecific(key: mainQueue) == true
    let place = isMain ? ", on the main queue" : ""
    PluginRuntime.current.log(.info, "asked about \(notification.request.identifier)\(place)")
}

private let mainQueue = DispatchSpecificKey<Bool>()

private func options(for notification: UNNotification) -> UNNotificationPresentationOptions {
    switch notification.request.identifier {
    case "banner": [.banner, .sound]
    case "list": .list
    case "alert": .alert
    default: [.sound, .badge]
    }
}

private class Presenter: NSObject, UNUserNotificationCenterDelegate {
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler:
            @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        logQuestion(notification)
        completionHandler(options(for: notification))
        completionHandler([])
    }
}

private class AsyncPresenter: NSObject, UNUserNotificationCenterDelegate {
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions {
        logQuestion(notification)
        return options(for: notification)
    }
}

/// An app delegate, whose methods are isolated to the main actor.
@MainActor
private class MainPresenter: UIResponder, @MainActor UNUserNotificationCenterDelegate {
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions {
        logQuestion(notification)
        return options(for: notification)
    }
}

private class SilentPresenter: NSObject, UNUserNotificationCenterDelegate {}

private class DerivedPresenter: SilentPresenter {}

/// Answers when the test tells it to, or never.
private final class LatePresenter: NSObject, UNUserNotificationCenterDelegate {
    let keeps: Bool
    let handler = Mutex<(@Sendable (UNNotificationPresentationOptions) -> Void)?>(nil)

    init(keeps: Bool) {
        self.keeps = keeps
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler:
            @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    ) {
        if keeps { handler.withLock { $0 = completionHandler } }
        logQuestion(notification)
    }

    func answer(_ options: UNNotificationPresentationOptions) {
        handler.withLock { $0 }?(options)
    }
}

@Suite("The delegate of the notification center", .timeLimit(.minutes(5)))
struct NotificationDelegateTests {
    enum Form: CaseIterable {
        case completionHandler, async, mainActor
    }

    private let scheduler = SimulatedScheduler(tasks: [refresh: .appRefresh])

    /// The center of the app, whose delegate has an hour to answer.
    private func makeCenter() -> UNUserNotificationCenter {
        UNUserNotificationCenter(.current, answerLimit: .seconds(3600))
    }

    private func request(_ identifier: String) -> UNNotificationRequest {
        let content = UNMutableNotificationContent()
        content.title = "New"
        return UNNotificationRequest(identifier: identifier, content: content, trigger: nil)
    }

    /// Delivers a notification and waits until it is logged.
    private func add(_ identifier: String, to center: UNUserNotificationCenter) async throws {
        try await center.add(request(identifier))
        try await scheduler.logged("notification \(identifier): New")
    }

    private func delivered(by center: UNUserNotificationCenter) async -> [String] {
        await center.deliveredNotifications().map(\.request.identifier)
    }

    /// The identifiers of the notifications that are not shown, according to the log.
    private var hidden: [String] {
        scheduler.log.map(\.message).filter { $0.contains("(not shown") }.map {
            String($0.dropFirst("notification ".count).prefix { $0 != ":" })
        }
    }

    private var questions: [String] {
        scheduler.log.map(\.message).filter { $0.hasPrefix("asked about ") }
    }

    @MainActor
    private func make(_ form: Form) -> any UNUserNotificationCenterDelegate {
        switch form {
        case .completionHandler: Presenter()
        case .async: AsyncPresenter()
        case .mainActor: MainPresenter()
        }
    }

    @Test(
        "The delegate controls notifications in the foreground only",
        arguments: Form.allCases)
    @MainActor func foreground(form: Form) async throws {
        DispatchQueue.main.setSpecific(key: mainQueue, value: true)
        try await scheduler.run {
            scheduler.launchApp {}
            let center = makeCenter()
            let delegate = make(form)
            center.delegate = delegate
            try await add("before", to: center)
            scheduler.enterForeground()
            for identifier in ["banner", "sound", "list", "alert"] {
                try await add(identifier, to: center)
            }
            scheduler.enterBackground()
            try await add("after", to: center)
            let asked = ["banner", "sound", "list", "alert"]
            #expect(await delivered(by: center) == ["before", "banner", "list", "alert", "after"])
            #expect(hidden == ["sound"])
            // The async form of a class that is not isolated to the main actor runs elsewhere, as on iOS.
            let place = form == .async ? "" : ", on the main queue"
            #expect(questions == asked.map { "asked about \($0)\(place)" })
            withExtendedLifetime(delegate) {}
        }
    }

    @Test(
        "In the foreground a delegate without willPresent hides notifications; with no delegate they show"
    )
    func silent() async throws {
        try await scheduler.run {
            scheduler.launchApp {}
            let center = makeCenter()
            await scheduler.enterForeground()
            try await add("none", to: center)
            let delegate = SilentPresenter()
            center.delegate = delegate
            try await add("silent", to: center)
            #expect(await delivered(by: center) == ["none"])
            #expect(hidden == ["silent"])
            withExtendedLifetime(delegate) {}
        }
    }

    @Test("An attempt stays open until the delegate has answered, and the first answer counts")
    func holds() async throws {
        try await scheduler.run {
            let center = makeCenter()
            let delegate = LatePresenter(keeps: true)
            scheduler.launchApp {
                BGTaskScheduler.shared.register(forTaskWithIdentifier: refresh) { task in
                    center.add(request("banner"))
                    task.setTaskCompleted(success: true)
                }
            }
            center.delegate = delegate
            await scheduler.enterForeground()
            try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: refresh))
            let attempt = try await scheduler.simulateLaunch(forTaskWithIdentifier: refresh)
            #expect(try await attempt.completion().success)
            try await scheduler.logged("asked about banner")
            #expect(!attempt.isOver)
            #expect(await delivered(by: center).isEmpty)
            delegate.answer(.banner)
            delegate.answer([])
            try await attempt.end()
            #expect(await delivered(by: center) == ["banner"])
            #expect(hidden.isEmpty)
        }
    }

    @Test("A notification is not shown if the delegate releases its handler, or answers too late")
    func unanswered() async throws {
        try await scheduler.run {
            scheduler.launchApp {}
            await scheduler.enterForeground()
            let patient = makeCenter()
            let dropping = LatePresenter(keeps: false)
            patient.delegate = dropping
            try await add("dropped", to: patient)
            let impatient = UNUserNotificationCenter(.current, answerLimit: .seconds(0))
            let keeping = LatePresenter(keeps: true)
            impatient.delegate = keeping
            try await add("late", to: impatient)
            keeping.answer(.banner)
            #expect(hidden == ["dropped", "late"])
            #expect(scheduler.log.count { $0.message.hasPrefix("notification late: ") } == 1)
            #expect(await delivered(by: impatient).isEmpty)
            withExtendedLifetime(dropping) {}
        }
    }

    @Test("A delegate is not retained, and the log warns once per class of methods not called")
    func registration() async {
        await scheduler.run {
            scheduler.launchApp {}
            let center = UNUserNotificationCenter.current()
            #expect(center === UNUserNotificationCenter.current())
            for _ in 0..<2 {
                let delegate = Presenter()
                center.delegate = delegate
                #expect(center.delegate === delegate)
                withExtendedLifetime(delegate) {}
            }
            #expect(center.delegate == nil)
            let derived = DerivedPresenter()
            center.delegate = derived
            withExtendedLifetime(derived) {}
            let other = SimulatedScheduler(tasks: [:])
            #expect(await other.run { UNUserNotificationCenter.current() } !== center)
        }
        let warnings = scheduler.log.filter { $0.level == .warning }.map(\.message)
        #expect(warnings.count == 3)
        #expect(
            warnings.prefix(2).allSatisfy {
                $0.contains("they are not called under bgrun: the desktop")
            })
        #expect(
            warnings.first?.contains("if Presenter has userNotificationCenter(_:didReceive:)")
                == true)
        #expect(
            warnings.last?.hasPrefix(
                "DerivedPresenter inherits UNUserNotificationCenterDelegate from SilentPresenter")
                == true)
    }
}
