// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import BackgroundTasksTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct SubmissionTests {
    @Test("An identifier that the manifest lacks is not permitted")
    func undeclared() async throws {
        let scheduler = SimulatedScheduler(tasks: ["com.example.app.refresh": .appRefresh])
        await scheduler.run {
            scheduler.launchApp {}
            #expect(refusal(of: "com.example.app.Refresh") == .notPermitted)
        }
        #expect(scheduler.pendingRequests.isEmpty)
    }

    @Test(
        "A request needs the mode of its kind",
        arguments: [
            (.appRefresh, [.processing, .remoteNotification]),
            (.processing, [.fetch, .remoteNotification]),
            (.push, [.fetch, .processing]),
        ] as [(SimulatedTask, Set<SimulatedMode>)])
    func mode(task: SimulatedTask, modes: Set<SimulatedMode>) async throws {
        let scheduler = SimulatedScheduler(tasks: ["com.example.app.task": task], modes: modes)
        await scheduler.run {
            scheduler.launchApp {}
            #expect(refusal(of: "com.example.app.task") == .notPermitted)
        }
    }

    @Test(
        "One refresh request and ten processing requests may be pending",
        arguments: [(SimulatedTask.appRefresh, 1), (.processing, 10)])
    func limit(task: SimulatedTask, limit: Int) async throws {
        let scheduler = SimulatedScheduler(tasks: ["com.example.app.*": task])
        try await scheduler.run {
            scheduler.launchApp {}
            for number in 0..<limit { try submitting("com.example.app.\(number)") }
            #expect(refusal(of: "com.example.app.more") == .tooManyPendingTaskRequests)
            try submitting("com.example.app.0")
        }
        #expect(scheduler.pendingRequests.count == limit)
    }

    @Test("A request replaces the pending one of its identifier")
    func replacement() async throws {
        let scheduler = SimulatedScheduler(tasks: ["com.example.app.refresh": .appRefresh])
        try await scheduler.run {
            scheduler.launchApp {}
            try submitting("com.example.app.refresh", after: 3600)
            try submitting("com.example.app.refresh")
        }
        #expect(scheduler.pendingRequests.map(\.earliestBeginDate) == [nil])
    }

    @Test("A request from before the launch of the app is submitted with the launch")
    func early() async throws {
        let scheduler = SimulatedScheduler(tasks: ["com.example.app.refresh": .appRefresh])
        try await scheduler.run {
            try BGTaskScheduler.shared.submit(
                BGAppRefreshTaskRequest(identifier: "com.example.app.refresh"))
            #expect(scheduler.pendingRequests.isEmpty)
            scheduler.launchApp {}
        }
        #expect(scheduler.pendingRequests.map(\.identifier) == ["com.example.app.refresh"])
    }

    @Test("Pending requests can be listed and cancelled by Apple's names")
    func listing() async throws {
        let scheduler = SimulatedScheduler(
            tasks: ["com.example.app.refresh": .appRefresh, "com.example.app.clean": .processing])
        try await scheduler.run {
            scheduler.launchApp {}
            try submitting("com.example.app.refresh")
            try submitting("com.example.app.clean")
            let pending = await BGTaskScheduler.shared.pendingTaskRequests()
            #expect(
                pending.map(\.identifier) == ["com.example.app.clean", "com.example.app.refresh"])
            BGTaskScheduler.shared.cancel(taskRequestWithIdentifier: "com.example.app.clean")
            #expect(scheduler.pendingRequests.map(\.identifier) == ["com.example.app.refresh"])
            BGTaskScheduler.shared.cancelAllTaskRequests()
        }
        #expect(scheduler.pendingRequests.isEmpty)
    }

    @Test("Requests have tags, which copies preserve and by which requests are cancelled")
    func tags() async throws {
        let names = ["refresh", "clean", "export"].map { "com.example.app.\($0)" }
        let scheduler = SimulatedScheduler(
            tasks: [names[0]: .appRefresh, names[1]: .processing, names[2]: .processing])
        try await scheduler.run {
            scheduler.launchApp {}
            let refresh = BGAppRefreshTaskRequest(identifier: names[0])
            refresh.tags = ["sync", "nightly"]
            #expect((refresh.copy() as? BGTaskRequest)?.tags == refresh.tags)
            try BGTaskScheduler.shared.submit(refresh)
            let clean = BGProcessingTaskRequest(identifier: names[1])
            clean.tags = ["sync2"]
            try BGTaskScheduler.shared.submit(clean)
            try BGTaskScheduler.shared.submit(BGProcessingTaskRequest(identifier: names[2]))
            let pending = await BGTaskScheduler.shared.pendingTaskRequests()
            #expect(pending.map(\.tags) == [["sync2"], [], ["nightly", "sync"]])
            BGTaskScheduler.shared.cancelTaskRequests(withTag: "sync")
            #expect(scheduler.pendingRequests.map(\.identifier) == [names[1], names[2]])
            for tags in [["a b"], [""], ["a\0b"], Set((1...9).map { "\($0)" })] as [Set<String>] {
                clean.tags = tags
                #expect(throws: BGTaskScheduler.Error.self) {
                    try BGTaskScheduler.shared.submit(clean)
                }
            }
        }
    }

    @Test("A request is due at its earliest date by the clock, and not before")
    func earliest() async throws {
        let scheduler = SimulatedScheduler(tasks: ["com.example.app.refresh": .appRefresh])
        try await scheduler.run {
            scheduler.launchApp { register("com.example.app.refresh") }
            try submitting("com.example.app.refresh", after: 15 * 60)
            await scheduler.advance(by: .seconds(14 * 60))
            #expect(try await scheduler.launchDue() == nil)
            await scheduler.advance(by: .seconds(60))
            let attempt = try #require(try await scheduler.launchDue())
            #expect(try await attempt.completion().success)
        }
        #expect(scheduler.pendingRequests.isEmpty)
    }

    @Test("A requirement of a task delays its launch, also if its reading is unknown")
    func requirements() async throws {
        let scheduler = SimulatedScheduler(
            tasks: ["com.example.app.clean": SimulatedTask(.processing, requires: [.externalPower])]
        )
        try await scheduler.run {
            scheduler.launchApp { register("com.example.app.clean") }
            try submitting("com.example.app.clean")
            #expect(try await scheduler.launchDue() == nil)
            await scheduler.changeDevice { $0.hasExternalPower = false }
            #expect(try await scheduler.launchDue() == nil)
            await scheduler.changeDevice { $0.hasExternalPower = true }
            #expect(try await scheduler.launchDue()?.identifier == "com.example.app.clean")
        }
    }

    @Test("A requirement of a request adds to those of its task, and its loss ends the attempt")
    func requirementsOfRequest() async throws {
        let identifier = "com.example.app.clean"
        let task = SimulatedTask(.processing, requires: [.network])
        let scheduler = SimulatedScheduler(tasks: [identifier: task])
        try await scheduler.run {
            scheduler.launchApp { register(identifier) }
            let request = BGProcessingTaskRequest(identifier: identifier)
            request.requiresExternalPower = true
            try BGTaskScheduler.shared.submit(request)
            #expect(
                scheduler.pendingRequests.map(\.requirements) == [[.network, .externalPower]])
            await scheduler.changeDevice { $0.hasNetwork = true }
            #expect(try await scheduler.launchDue() == nil)
            await scheduler.changeDevice { $0.hasExternalPower = true }
            #expect(try await scheduler.launchDue()?.identifier == identifier)
        }
    }

    @Test(
        "A request that requires an idle device waits for it, and its attempt ends when a user returns"
    )
    func idleRequest() async throws {
        let identifier = "com.example.app.clean"
        let scheduler = SimulatedScheduler(tasks: [identifier: .processing])
        try await scheduler.run {
            scheduler.launchApp {
                BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier) { task in
                    task.expirationHandler = { task.setTaskCompleted(success: false) }
                }
            }
            let request = BGProcessingTaskRequest(identifier: identifier)
            request.requiresDeviceIdle = true
            try BGTaskScheduler.shared.submit(request)
            let pending = await BGTaskScheduler.shared.pendingTaskRequests()
            #expect((pending.first as? BGProcessingTaskRequest)?.requiresDeviceIdle == true)
            #expect(try await scheduler.launchDue() == nil)
            await scheduler.changeDevice { $0.isUserIdle = true }
            let attempt = try #require(try await scheduler.launchDue())
            await scheduler.changeDevice { $0.isUserIdle = false }
            #expect(try await attempt.completion() == .init(success: false, isExpired: true))
        }
    }

    @Test("A request of the wrong class is not permitted, and the log says why")
    func wrongClass() async throws {
        let scheduler = SimulatedScheduler(
            tasks: ["com.example.app.refresh": .appRefresh, "com.example.app.session": .transfer])
        try await scheduler.run {
            scheduler.launchApp {}
            #expect {
                try BGTaskScheduler.shared.submit(
                    BGProcessingTaskRequest(identifier: "com.example.app.refresh"))
            } throws: { error in
                (error as? BGTaskScheduler.Error)?.code == .notPermitted
            }
            try await scheduler.logged("submit a request of that class")
            // Apple has no class of requests for sessions: any class is accepted.
            try BGTaskScheduler.shared.submit(
                BGProcessingTaskRequest(identifier: "com.example.app.session"))
        }
        #expect(scheduler.pendingRequests.map(\.identifier) == ["com.example.app.session"])
    }

    @Test("Copies of pending requests have their properties")
    func copies() async throws {
        let before = Date()
        let scheduler = SimulatedScheduler(
            tasks: ["com.example.app.clean": .processing, "com.example.app.export": .continued])
        try await scheduler.run {
            scheduler.launchApp {}
            let clean = BGProcessingTaskRequest(identifier: "com.example.app.clean")
            clean.requiresExternalPower = true
            let earliest = Date(timeIntervalSinceNow: 7_200)
            clean.earliestBeginDate = earliest
            try BGTaskScheduler.shared.submit(clean)
            let after = Date()
            try BGTaskScheduler.shared.submit(
                BGContinuedProcessingTaskRequest(
                    identifier: "com.example.app.export", title: "Export", subtitle: "of photos"))
            let pending = await BGTaskScheduler.shared.pendingTaskRequests()
            let copy = try #require(pending.first as? BGProcessingTaskRequest)
            #expect(copy.requiresExternalPower && !copy.requiresNetworkConnectivity)
            // The host receives a delay, and its clock has stopped since the scheduler was created.
            let moved = try #require(copy.earliestBeginDate).timeIntervalSince(earliest)
            #expect((before.timeIntervalSince(after) - 0.001...0.001).contains(moved))
            let export = try #require(pending.last as? BGContinuedProcessingTaskRequest)
            #expect(export.title == "Export" && export.subtitle == "of photos")
            #expect(export.strategy == .queue)
        }
    }

    @Test("While background refresh is off requests are unavailable")
    func refreshOff() async throws {
        let scheduler = SimulatedScheduler(tasks: ["com.example.app.refresh": .appRefresh])
        try await scheduler.run {
            scheduler.launchApp {}
            await scheduler.changeDevice { $0.backgroundRefresh = .denied }
            #expect(refusal(of: "com.example.app.refresh") == .unavailable)
            await scheduler.changeDevice { $0.backgroundRefresh = .available }
            try submitting("com.example.app.refresh")
        }
    }

    @Test("Parameters of a request override single parameters of the manifest")
    func parameters() async throws {
        let task = SimulatedTask(.processing, parameters: #"{"keep": 90, "path": "a"}"#)
        let scheduler = SimulatedScheduler(tasks: ["com.example.app.clean": task])
        try await scheduler.run {
            scheduler.launchApp { register("com.example.app.clean") }
            try BGTaskScheduler.shared.submit(
                BGProcessingTaskRequest(identifier: "com.example.app.clean"),
                parameters: ["path": "b"])
        }
        #expect(scheduler.pendingRequests.map(\.parameters) == [#"{"keep":90,"path":"b"}"#])
    }
}
