// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import CBGRunPlugin
import Foundation
import Testing

@Suite("Launch", .timeLimit(.minutes(5)))
struct LaunchTests {
    @Test(
        "the kind of the manifest decides the class of the task",
        arguments: [
            (BGRUN_KIND_APP_REFRESH, "{}", "BGAppRefreshTask"),
            (BGRUN_KIND_PROCESSING, "{}", "BGProcessingTask"),
            (
                BGRUN_KIND_PROCESSING, #"{"bgrun.health-research": ""}"#, "BGHealthResearchTask"
            ),
            (BGRUN_KIND_CONTINUED, "{}", "BGContinuedProcessingTask"),
            (BGRUN_KIND_PUSH, "{}", "BGTask"),
        ])
    func kinds(kind: UInt32, parameters: String, expected: String) async {
        let classes = Notes<String>()
        let host = FakeHost { scheduler in
            scheduler.register(forTaskWithIdentifier: "refresh", using: nil) { task in
                classes.add("\(type(of: task))")
                task.setTaskCompleted(success: true)
            }
        }
        await host.launch("refresh", kind: kind, parameters: parameters).returned()
        #expect(classes.all == [expected])
    }

    @Test("the launch and the expiration handler are called on the given queue")
    func givenQueue() async {
        let key = DispatchSpecificKey<String>()
        let queue = DispatchQueue(label: "given")
        queue.setSpecific(key: key, value: "given")
        let places = Notes<String?>()
        let isSet = Gate()
        let host = FakeHost { scheduler in
            scheduler.register(forTaskWithIdentifier: "refresh", using: queue) { task in
                places.add(DispatchQueue.getSpecific(key: key))
                task.expirationHandler = {
                    places.add(DispatchQueue.getSpecific(key: key))
                    task.setTaskCompleted(success: false)
                }
                isSet.open()
            }
        }
        let attempt = host.launch("refresh")
        await isSet.opened()
        attempt.expire()
        await attempt.returned()
        #expect(places.all == ["given", "given"])
    }

    @Test("without a queue, an expiration handler ends the wait of its launch handler")
    func noQueue() async {
        let order = Notes<String>()
        let isSet = Gate()
        let isTold = Gate()
        let host = FakeHost { scheduler in
            scheduler.register(forTaskWithIdentifier: "refresh", using: nil) { task in
                task.expirationHandler = {
                    order.add("expired, main: \(Thread.isMainThread)")
                    isTold.open()
                }
                isSet.open()
                isTold.block()
                order.add("launch handler returns, main: \(Thread.isMainThread)")
                task.setTaskCompleted(success: false)
            }
        }
        let attempt = host.launch("refresh")
        await isSet.opened()
        attempt.expire()
        await attempt.returned()
        #expect(order.all == ["expired, main: false", "launch handler returns, main: false"])
    }

    @Test("on the main queue, an expiration handler is called after its launch handler")
    func mainQueue() async {
        let order = Notes<String>()
        let isSet = Gate()
        let isTold = Gate()
        let host = FakeHost { scheduler in
            scheduler.register(forTaskWithIdentifier: "refresh", using: .main) { task in
                task.expirationHandler = {
                    order.add("expired")
                    task.setTaskCompleted(success: false)
                }
                isSet.open()
                isTold.block()
                order.add("launch handler returns")
            }
        }
        let attempt = host.launch("refresh")
        await isSet.opened()
        attempt.expire()
        isTold.open()
        await attempt.returned()
        #expect(order.all == ["launch handler returns", "expired"])
    }

    @Test("BGTaskScheduler.shared is the plugin's own inside its handlers and their Swift tasks")
    func sharedInside() async {
        let owns = Notes<Bool>()
        let host = FakeHost { scheduler in
            #expect(BGTaskScheduler.shared.runtime === scheduler.runtime)
            scheduler.register(forTaskWithIdentifier: "refresh", using: nil) { task in
                owns.add(BGTaskScheduler.shared.runtime === scheduler.runtime)
                Task {
                    owns.add(BGTaskScheduler.shared.runtime === scheduler.runtime)
                    task.setTaskCompleted(success: true)
                }
            }
        }
        await host.launch("refresh").returned()
        #expect(owns.all == [true, true])
    }
}
