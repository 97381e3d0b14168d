// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import BackgroundTasksTesting
import Foundation
import Testing
import UIKit
import UserNotifications

@Suite(.timeLimit(.minutes(1))) struct AppSymbolTests {
    private let scheduler = SimulatedScheduler(tasks: [:])

    @Test("isIdleTimerDisabled keeps its value, and each change is logged once")
    @MainActor func idleTimer() async {
        await scheduler.run {
            scheduler.launchApp {}
            let app = UIApplication.shared
            #expect(!app.isIdleTimerDisabled)
            for value in [true, true, false] {
                app.isIdleTimerDisabled = value
                #expect(app.isIdleTimerDisabled == value)
            }
            #expect(
                scheduler.log.suffix(2).map(\.message) == [
                    "the app sets isIdleTimerDisabled to true",
                    "the app sets isIdleTimerDisabled to false",
                ])
            #expect(scheduler.log.count { $0.message.contains("isIdleTimerDisabled") } == 2)
        }
    }

    @Test("open logs the URL, opens nothing and reports false, awaited or with a handler")
    @MainActor func open() async throws {
        let first = try #require(URL(string: "https://example.com/first"))
        let second = try #require(URL(string: UIApplication.openSettingsURLString))
        await scheduler.run {
            scheduler.launchApp {}
            let app = UIApplication.shared
            #expect(!app.canOpenURL(first))
            let isOpened = await app.open(first, options: [.universalLinksOnly: true])
            #expect(!isOpened)
            let isOpenedToo = await withCheckedContinuation { continuation in
                app.open(second) { continuation.resume(returning: $0) }
            }
            #expect(!isOpenedToo)
        }
        #expect(
            scheduler.log.filter { $0.message.contains("asks to open") } == [
                .init(
                    level: .info,
                    message: "the app asks to open https://example.com/first; bgrun opens nothing"),
                .init(
                    level: .info,
                    message: "the app asks to open app-settings:; bgrun opens nothing"),
            ])
    }

    @Test("An alternate icon is refused, awaited or with a handler, and its name stays nil")
    @MainActor func alternateIcon() async {
        await scheduler.run {
            scheduler.launchApp {}
            let app = UIApplication.shared
            await #expect(throws: CocoaError.self) { try await app.setAlternateIconName("Dark") }
            let error = await withCheckedContinuation { continuation in
                app.setAlternateIconName("Dark") { continuation.resume(returning: $0) }
            }
            #expect((error as? CocoaError)?.code == .featureUnsupported)
            #expect(app.alternateIconName == nil)
        }
    }

    @Test("Requests for other scenes fail, and are logged once")
    @MainActor func sceneRequests() async {
        let scheduler = SimulatedScheduler(tasks: ["com.example.app.refresh": .appRefresh])
        await scheduler.run {
            scheduler.launchApp(PlainDelegate.self)
            scheduler.enterForeground()
            let app = UIApplication.shared
            guard let scene = app.connectedScenes.first else {
                Issue.record("no scene is connected")
                return
            }
            let activation = await withCheckedContinuation { continuation in
                app.requestSceneSessionActivation(
                    nil, userActivity: nil, options: nil,
                    errorHandler: { continuation.resume(returning: $0) })
            }
            #expect((activation as? CocoaError)?.code == .featureUnsupported)
            let destruction = await withCheckedContinuation { continuation in
                app.requestSceneSessionDestruction(
                    scene.session, options: UIWindowSceneDestructionRequestOptions(),
                    errorHandler: { continuation.resume(returning: $0) })
            }
            #expect((destruction as? CocoaError)?.code == .featureUnsupported)
            #expect(app.connectedScenes == [scene])
        }
        #expect(scheduler.log.count { $0.message.contains("which has no effect") } == 1)
    }

    @Test("A shortcut keeps all its initial values")
    @MainActor func shortcuts() {
        let icon = UIApplicationShortcutIcon(systemImageName: "plus")
        let full = UIApplicationShortcutItem(
            type: "new", localizedTitle: "New", localizedSubtitle: "Mail", icon: icon,
            userInfo: ["box": "inbox" as NSString])
        #expect(full.localizedSubtitle == "Mail")
        #expect(full.icon === icon)
        #expect(full.userInfo?["box"] as? NSString == "inbox")
        let short = UIApplicationShortcutItem(type: "new", localizedTitle: "New")
        #expect(short.type == "new")
        #expect(short.localizedSubtitle == nil)
        #expect(short.icon == nil)
        #expect(short.userInfo == nil)
    }

    @Test("A category keeps its placeholder and its format, which other initializers leave empty")
    func categories() {
        let full = UNNotificationCategory(
            identifier: "mail", actions: [], intentIdentifiers: [],
            hiddenPreviewsBodyPlaceholder: "Mail", categorySummaryFormat: "%u more",
            options: .customDismissAction)
        #expect(full.hiddenPreviewsBodyPlaceholder == "Mail")
        #expect(full.categorySummaryFormat == "%u more")
        #expect(full.options == .customDismissAction)
        let placeholder = UNNotificationCategory(
            identifier: "mail", actions: [], intentIdentifiers: [],
            hiddenPreviewsBodyPlaceholder: "Mail")
        #expect(placeholder.hiddenPreviewsBodyPlaceholder == "Mail")
        #expect(placeholder.categorySummaryFormat.isEmpty)
        let short = UNNotificationCategory(identifier: "mail", actions: [], intentIdentifiers: [])
        #expect(short.hiddenPreviewsBodyPlaceholder.isEmpty)
    }

    @Test("Resources.default requires nothing, and is the default of a continued request")
    func defaultResources() {
        let request = BGContinuedProcessingTaskRequest(
            identifier: "com.example.app.export", title: "", subtitle: "")
        #expect(request.requiredResources == .default)
        #expect(BGContinuedProcessingTaskRequest.Resources.default.isEmpty)
        #expect(!BGContinuedProcessingTaskRequest.Resources.default.contains(.gpu))
    }

    @Test("notifications(named:) yields those of its name and object")
    func notifications() async {
        let center = NotificationCenter()
        let name = Notification.Name("com.example.app.saved")
        let wanted = NSObject()
        let missed = center.notifications(named: name)
        center.post(name: name, object: wanted, userInfo: ["number": 0])
        var all = missed.makeAsyncIterator()
        var own = center.notifications(named: name, object: wanted).makeAsyncIterator()
        center.post(name: name, object: nil, userInfo: ["number": 1])
        center.post(name: Notification.Name("other"), object: wanted, userInfo: ["number": 2])
        center.post(name: name, object: wanted, userInfo: ["number": 3])
        #expect(await all.next()?.userInfo?["number"] as? Int == 1)
        #expect(await all.next()?.userInfo?["number"] as? Int == 3)
        #expect(await own.next()?.userInfo?["number"] as? Int == 3)
    }

    @Test("The constants of time are consistent with each other, and with Dispatch's intervals")
    func constants() {
        #expect(NSEC_PER_SEC == 1_000_000_000)
        #expect(NSEC_PER_MSEC * MSEC_PER_SEC == NSEC_PER_SEC)
        #expect(NSEC_PER_USEC * USEC_PER_SEC == NSEC_PER_SEC)
        let time = DispatchTime(uptimeNanoseconds: NSEC_PER_SEC)
        #expect(time + .seconds(1) == DispatchTime(uptimeNanoseconds: 2 * NSEC_PER_SEC))
    }
}
