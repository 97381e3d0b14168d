// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import BackgroundTasksTesting
import Foundation
import Testing
import UIKit

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

    @Test("Resources.default requires nothing, and is what a continued request begins with")
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
