// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import BackgroundTasks
import CBGRunPlugin
import Foundation
import Synchronization
import Testing

@Suite("Requests", .timeLimit(.minutes(5)))
struct RequestTests {
    /// Runs `body` in a launch handler of a host.
    private func inHandler(
        of host: (_ register: (BGTaskScheduler) -> Void) -> FakeHost = { FakeHost(register: $0) },
        _ body: @escaping @Sendable (BGTaskScheduler) async -> Void
    ) async -> FakeHost {
        let host = host { scheduler in
            scheduler.register("refresh") { _ in await body(scheduler) }
        }
        await host.launch("refresh").returned()
        return host
    }

    @Test("submit passes on the identifier, and no delay without an earliestBeginDate")
    func noDelay() async {
        let host = await inHandler { scheduler in
            #expect(throws: Never.self) {
                try scheduler.submit(BGProcessingTaskRequest(identifier: "cleanup"))
            }
        }
        #expect(
            host.submitted == [
                FakeHost.Submitted(
                    identifier: "cleanup", parameters: nil, delay: 0, kind: BGRUN_KIND_PROCESSING)
            ])
    }

    @Test("earliestBeginDate is a delay from now on; a past date means no delay")
    func dates() async {
        let host = await inHandler { scheduler in
            for interval in [3_600, -3_600, 1e300] {
                let request = BGAppRefreshTaskRequest(identifier: "refresh")
                request.earliestBeginDate = Date(timeIntervalSinceNow: interval)
                #expect(throws: Never.self) { try scheduler.submit(request) }
            }
        }
        let delays = host.submitted.map(\.delay)
        #expect(delays.count == 3)
        #expect((3_500_000_000_000...3_600_000_000_000).contains(delays.first ?? 0))
        #expect(delays.dropFirst().first == 0)
        #expect((delays.last ?? 0) > 3_000_000_000_000_000_000)
    }

    @Test("requirements of a request are passed on in addition to those of the manifest")
    func requirements() async {
        let host = await inHandler { scheduler in
            let request = BGProcessingTaskRequest(identifier: "cleanup")
            for (power, network) in [(false, false), (true, false), (true, true)] {
                request.requiresExternalPower = power
                request.requiresNetworkConnectivity = network
                #expect(throws: Never.self) { try scheduler.submit(request) }
            }
        }
        let power = UInt32(BGRUN_REQUIRES_POWER)
        #expect(
            host.submitted.map(\.requires) == [0, power, power | UInt32(BGRUN_REQUIRES_NETWORK)])
    }

    @Test("a request requires an idle device only if that is set")
    func idle() async {
        let host = await inHandler { scheduler in
            let request = BGProcessingTaskRequest(identifier: "cleanup")
            #expect(throws: Never.self) { try scheduler.submit(request) }
            request.requiresDeviceIdle = true
            #expect(throws: Never.self) { try scheduler.submit(request) }
        }
        #expect(host.submitted.map(\.requires) == [0, UInt32(BGRUN_REQUIRES_IDLE)])
    }

    @Test("a request for a graphics processor is not permitted on a machine without one")
    func graphics() async {
        let outcomes = Notes<BGTaskScheduler.Error.Code?>()
        _ = await inHandler { scheduler in
            let request = BGContinuedProcessingTaskRequest(
                identifier: "export", title: "", subtitle: "")
            request.requiredResources = .gpu
            do {
                try scheduler.submit(request)
                outcomes.add(nil)
            } catch {
                outcomes.add((error as? BGTaskScheduler.Error)?.code)
            }
        }
        let hasOne = BGTaskScheduler.supportedResources.contains(.gpu)
        #expect(outcomes.all == [hasOne ? nil : .notPermitted])
    }

    @Test("titles of a continued request are passed as parameters")
    func titles() async throws {
        let host = await inHandler { scheduler in
            let request = BGContinuedProcessingTaskRequest(
                identifier: "export", title: "Export", subtitle: "0 of 3")
            #expect(request.strategy == .queue)
            #expect(throws: Never.self) { try scheduler.submit(request) }
        }
        let json = try #require(host.submitted.first?.parameters)
        let object = try JSONDecoder().decode([String: String].self, from: Data(json.utf8))
        #expect(object == ["bgrun.title": "Export", "bgrun.subtitle": "0 of 3"])
    }

    @Test("parameters of a submission are passed on, and must be an object")
    func parameters() async {
        let host = await inHandler { scheduler in
            let request = BGAppRefreshTaskRequest(identifier: "refresh")
            #expect(throws: Never.self) {
                try scheduler.submit(request, parameters: ["album": "summer"])
            }
            #expect(throws: PluginHostError.self) {
                try scheduler.submit(request, parameters: ["summer"])
            }
        }
        #expect(host.submitted.map(\.parameters) == [#"{"album":"summer"}"#])
    }

    @Test(
        "a refusal is Apple's error, and its message names a remedy",
        arguments: [
            (BGRUN_E_UNAVAILABLE, BGTaskScheduler.Error.Code.unavailable, 1, "try again"),
            (BGRUN_E_IO, .unavailable, 1, "disk"),
            (BGRUN_E_TOO_MANY_PENDING, .tooManyPendingTaskRequests, 2, "cancel"),
            (BGRUN_E_NOT_PERMITTED, .notPermitted, 3, "permitted_identifiers"),
            (BGRUN_E_NOT_FOUND, .notPermitted, 3, "no task of the manifest"),
            (BGRUN_E_NOT_IMMEDIATELY, .immediateRunIneligible, 4, "strategy"),
        ])
    func refusals(
        status: Int32, code: BGTaskScheduler.Error.Code, number: Int, remedy: String
    ) async {
        let errors = Notes<any Error>()
        _ = await inHandler(of: { register in
            let host = FakeHost(register: register)
            host.state.withLock { $0.submitStatus = status }
            return host
        }) { scheduler in
            do {
                try scheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
            } catch {
                errors.add(error)
            }
        }
        let error = errors.all.first as? BGTaskScheduler.Error
        #expect(error?.code == code)
        #expect(error?.errorCode == number)
        #expect(error?.localizedDescription.contains(remedy) == true)
        #expect(errors.all.first?.localizedDescription.contains(remedy) == true)
        #expect(BGTaskScheduler.Error.errorDomain == "BGTaskSchedulerErrorDomain")
    }

    @Test("errors can be caught by code, as iOS code does")
    func catching() {
        do {
            throw BGTaskScheduler.Error(.notPermitted)
        } catch BGTaskScheduler.Error.tooManyPendingTaskRequests {
            Issue.record("another code")
        } catch BGTaskScheduler.Error.notPermitted {
        } catch {
            Issue.record(error)
        }
    }

    @Test("a request made before the first launch is submitted with it, the last of an identifier")
    func held() async {
        let host = FakeHost { scheduler in
            for interval in [60.0, 0] {
                let request = BGAppRefreshTaskRequest(identifier: "refresh")
                request.earliestBeginDate = Date(timeIntervalSinceNow: interval)
                #expect(throws: Never.self) { try scheduler.submit(request) }
            }
            scheduler.register("refresh") { _ in }
        }
        #expect(host.submitted.isEmpty)
        await host.launch("refresh").returned()
        #expect(host.submitted.map(\.delay) == [0])
        await host.launch("refresh").returned()
        #expect(host.submitted.count == 1)
    }

    @Test("the host's refusal of such requests is logged")
    func heldAndRefused() async {
        let host = FakeHost { scheduler in
            #expect(throws: Never.self) {
                try scheduler.submit(BGAppRefreshTaskRequest(identifier: "refresh"))
            }
            scheduler.register("refresh") { _ in }
        }
        host.state.withLock { $0.submitStatus = BGRUN_E_TOO_MANY_PENDING }
        await host.launch("refresh").returned()
        #expect(host.log.contains { $0.contains("too many requests of this kind are pending") })
    }

    @Test("submitTaskRequest reports its outcome later, by completion or by throwing")
    func asynchronous() async {
        let outcomes = Notes<String>()
        let host = await inHandler { scheduler in
            let request = BGAppRefreshTaskRequest(identifier: "refresh")
            await withCheckedContinuation { continuation in
                scheduler.submitTaskRequest(request) { error in
                    outcomes.add("\(error == nil)")
                    continuation.resume()
                }
            }
            do {
                try await scheduler.submitTaskRequest(
                    BGAppRefreshTaskRequest(identifier: "refresh"))
                outcomes.add("returned")
            } catch {
                outcomes.add("threw")
            }
        }
        #expect(outcomes.all == ["true", "returned"])
        #expect(host.submitted.count == 2)
    }

    // MARK: pending

    private static let pending = [
        PendingPluginRequest(identifier: "cleanup", kind: .processing),
        PendingPluginRequest(
            identifier: "refresh", kind: .appRefresh,
            earliestUnixNanoseconds: 1_000_000_000_500_000_000),
    ]

    private func hostWithPending(_ register: (BGTaskScheduler) -> Void) -> FakeHost {
        let host = FakeHost(register: register)
        host.state.withLock { $0.pending = Self.pending }
        return host
    }

    @Test("pending requests are copies with their classes and dates")
    func pendingRequests() async {
        let found = Notes<String>()
        _ = await inHandler(of: hostWithPending) { scheduler in
            for request in await scheduler.pendingTaskRequests() {
                let date = request.earliestBeginDate?.timeIntervalSince1970
                found.add("\(type(of: request)) \(request.identifier) \(date ?? 0)")
            }
        }
        #expect(
            found.all == [
                "BGProcessingTaskRequest cleanup 0.0",
                "BGAppRefreshTaskRequest refresh 1000000000.5",
            ])
    }

    @Test("getPendingTaskRequests calls back, with an empty array when there are none")
    func none() async {
        let counts = Notes<Int>()
        _ = await inHandler { scheduler in
            await withCheckedContinuation { continuation in
                scheduler.getPendingTaskRequests { requests in
                    counts.add(requests.count)
                    continuation.resume()
                }
            }
        }
        #expect(counts.all == [0])
    }

    @Test(
        "cancel and cancelAllTaskRequests cancel pending requests, and accept that there are none")
    func cancel() async {
        let host = await inHandler(of: hostWithPending) { scheduler in
            scheduler.cancel(taskRequestWithIdentifier: "nothing")
            scheduler.cancelAllTaskRequests()
        }
        #expect(host.state.withLock { $0.cancelled } == ["nothing", "cleanup", "refresh"])
        #expect(host.log.isEmpty)
    }

    @Test("a copy of a request has its class and all its properties")
    func copies() throws {
        let continued = BGContinuedProcessingTaskRequest(
            identifier: "export", title: "T", subtitle: "S")
        continued.strategy = .fail
        continued.requiredResources = .gpu
        let copy = try #require(continued.copy() as? BGContinuedProcessingTaskRequest)
        #expect(copy !== continued && copy.title == "T" && copy.subtitle == "S")
        #expect(copy.strategy == .fail && copy.requiredResources == .gpu)

        let research = BGHealthResearchTaskRequest(identifier: "study")
        research.protectionTypeOfRequiredData = "complete"
        research.requiresExternalPower = true
        research.requiresDeviceIdle = true
        research.earliestBeginDate = .distantFuture
        let second = try #require(research.copy() as? BGHealthResearchTaskRequest)
        #expect(second.protectionTypeOfRequiredData == "complete")
        #expect(second.requiresExternalPower && !second.requiresNetworkConnectivity)
        #expect(second.requiresDeviceIdle)
        #expect(second.earliestBeginDate == .distantFuture)
    }
}
