// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import BackgroundTasks
import CBGRunPlugin
import Foundation
import Synchronization
import Testing

@Suite("A host of ABI 1.4", .timeLimit(.minutes(5)))
struct ProcessTests {
    @Test("receives each registered identifier, also while a task runs")
    func registrations() async {
        let kinds = ["refresh": BGRUN_KIND_APP_REFRESH, "export": BGRUN_KIND_CONTINUED]
        let host = FakeHost(kinds, hasProcess: true) { scheduler in
            scheduler.register("undeclared") { _ in }
            scheduler.register("refresh") { _ in scheduler.register("export") { _ in } }
        }
        #expect(host.state.withLock { $0.registrations.map(\.identifier) } == ["refresh"])
        await host.launch("refresh").returned()
        #expect(
            host.state.withLock { $0.registrations.map(\.identifier) } == ["refresh", "export"])
    }

    @Test("answers requests at launch and after the task is completed")
    func submissions() async throws {
        let host = FakeHost(hasProcess: true) { scheduler in
            #expect(throws: Never.self) {
                try scheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
            }
            scheduler.register(forTaskWithIdentifier: "refresh", using: nil) { task in
                task.setTaskCompleted(success: true)
            }
        }
        #expect(host.submitted.count == 1)
        await host.launch("refresh").returned()
        try host.scheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
        #expect(host.submitted.count == 2)
        host.state.withLock { $0.submitStatus = BGRUN_E_UNAVAILABLE }
        #expect {
            try host.scheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
        } throws: { error in
            (error as? BGTaskScheduler.Error)?.code == .unavailable
        }
    }

    @Test("knows no readings at launch from a host of ABI 1.4, and those of an attempt")
    func readings() async throws {
        let host = FakeHost(hasDevice: true) { scheduler in
            #expect(PluginRuntime.current.device == PluginDevice())
            #expect(!ProcessInfo.processInfo.isLowPowerModeEnabled)
            let runtime = PluginRuntime.current
            _ = NotificationCenter.default.addObserver(
                forName: .NSProcessInfoPowerStateDidChange, object: nil, queue: nil
            ) { _ in
                if PluginRuntime.current === runtime { runtime.log(.info, "changed") }
            }
            scheduler.register(forTaskWithIdentifier: "refresh", using: nil) { task in
                task.setTaskCompleted(success: true)
            }
        }
        await host.launch("refresh").returned()
        #expect(host.runtime.device.isLowPowerModeEnabled == true)
        #expect(host.log.filter { $0 == "changed" }.count == 1)
    }

    @Test("receives the kind of a request, and the strategy of continued work")
    func kinds() throws {
        let host = FakeHost(hasProcess: true)
        let continued = BGContinuedProcessingTaskRequest(identifier: "c", title: "", subtitle: "")
        try host.scheduler.submit(BGAppRefreshTaskRequest(identifier: "a"))
        try host.scheduler.submit(BGHealthResearchTaskRequest(identifier: "b"))
        try host.scheduler.submit(continued)
        continued.strategy = .fail
        try host.scheduler.submit(continued)
        #expect(host.submitted.map(\.kind) == [1, 2, 4, 4])
        #expect(host.submitted.map(\.strategy) == [0, 0, 0, BGRUN_STRATEGY_FAIL])
    }

    @Test("gives complete copies of pending requests")
    func copies() async throws {
        let host = FakeHost(hasProcess: true)
        host.state.withLock { state in
            state.pending = [
                PendingPluginRequest(
                    identifier: "clean", kind: .processing,
                    requirements: [.externalPower, .network]),
                PendingPluginRequest(
                    identifier: "export", kind: .continued, requirements: .gpu,
                    parametersJSON: #"{"bgrun.title": "T", "bgrun.subtitle": "S"}"#,
                    isOnlyImmediate: true),
                PendingPluginRequest(
                    identifier: "study", kind: .processing,
                    requirements: .idle,
                    parametersJSON: #"{"bgrun.health-research": "complete"}"#),
            ]
        }
        let requests = await host.scheduler.pendingTaskRequests()
        try #require(requests.count == 3)
        let clean = try #require(requests[0] as? BGProcessingTaskRequest)
        #expect(clean.requiresExternalPower && clean.requiresNetworkConnectivity)
        #expect(!clean.requiresDeviceIdle)
        let export = try #require(requests[1] as? BGContinuedProcessingTaskRequest)
        #expect(export.title == "T" && export.subtitle == "S" && export.strategy == .fail)
        #expect(export.requiredResources == .gpu)
        let study = try #require(requests[2] as? BGHealthResearchTaskRequest)
        #expect(study.protectionTypeOfRequiredData == "complete" && !study.requiresExternalPower)
        #expect(study.requiresDeviceIdle)
    }

    @Test("receives no report of a task that is revoked without an expiration handler")
    func abandoned() async {
        let isSet = Gate()
        let host = FakeHost(hasProcess: true) { scheduler in
            scheduler.register(forTaskWithIdentifier: "refresh", using: nil) { _ in isSet.open() }
        }
        let attempt = host.launch("refresh")
        await isSet.opened()
        attempt.expire()
        #expect(await attempt.completion?.isAbandoned == true)
    }

    @Test("calls an expiration handler that is set after time was revoked")
    func lateHandler() async {
        let isLaunched = Gate()
        let isTold = Gate()
        let host = FakeHost(hasProcess: true) { scheduler in
            scheduler.register(forTaskWithIdentifier: "refresh", using: nil) { task in
                isLaunched.open()
                while !task.isExpired { Thread.yield() }
                isTold.block()
                task.expirationHandler = { task.setTaskCompleted(success: false) }
                task.onExpiration { _ in }
            }
        }
        let attempt = host.launch("refresh")
        await isLaunched.opened()
        attempt.expire()
        isTold.open()
        let completion = await attempt.completion
        #expect(completion?.success == false && completion?.isAbandoned == false)
    }
}

extension Thread {
    fileprivate static func yield() { sched_yield() }
}
