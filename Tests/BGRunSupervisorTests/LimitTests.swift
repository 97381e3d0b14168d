// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunPlugin
import Testing

@testable import BGRunSupervisor

@Suite("Limits of the messages of a worker", .timeLimit(.minutes(5)))
struct LimitTests {
    private let long = String(repeating: "\u{e9}", count: 100_000)

    @Test("texts are cut at a character, numbers are brought into their range")
    func bounded() {
        guard
            case .completed(1, true?, let message, let entered) = WorkerMessage.completed(
                attempt: 1, success: true, message: "x" + long, enteredMonotonic: .min
            ).bounded
        else {
            Issue.record("another message")
            return
        }
        #expect(message?.utf8.count == 4_095 && message?.last == "\u{e9}")
        #expect(entered == 0)
        #expect(
            WorkerMessage.progress(attempt: 1, completed: .min, total: -1).bounded
                == .progress(attempt: 1, completed: 0, total: 0))
        #expect(
            WorkerMessage.progress(attempt: 1, completed: .max, total: .max).bounded
                == .progress(attempt: 1, completed: .max, total: .max))
        guard
            case .title(_, let title?, let subtitle?) = WorkerMessage.title(
                attempt: 1, title: long, subtitle: long
            ).bounded,
            case .assertionBegan(_, _, let name?) = WorkerMessage.assertionBegan(
                attempt: 1, id: .min, name: long
            ).bounded,
            case .refused(let refusal) = WorkerMessage.refused(long).bounded
        else {
            Issue.record("another message")
            return
        }
        #expect(title.utf8.count == 256 && subtitle.utf8.count == 256 && name.utf8.count == 256)
        #expect(refusal.utf8.count == 4_096)
        #expect(
            WorkerMessage.completed(
                attempt: 1, success: nil, message: long, enteredMonotonic: .min
            ).bounded
                == .completed(
                    attempt: 1, success: nil, message: String(repeating: "\u{e9}", count: 2_048),
                    enteredMonotonic: 0))
        let small = WorkerMessage.title(attempt: 1, title: "a", subtitle: nil)
        #expect(small.bounded == small)
    }

    @Test("names and registrations of a plugin are limited in length and number")
    func registrations() {
        let registration = Registration(identifier: long)
        guard case .registered(let one) = WorkerMessage.registered(registration).bounded else {
            Issue.record("another message")
            return
        }
        #expect(one.identifier?.utf8.count == 256)
        let loaded = WorkerMessage.Loaded(
            name: long, version: long, abiVersion: 1, flags: 0,
            handlers: ["a", long] + Array(repeating: "b", count: 2_000),
            registrations: Array(repeating: registration, count: 20_000))
        guard case .loaded(let bounded) = WorkerMessage.loaded(loaded).bounded else {
            Issue.record("another message")
            return
        }
        #expect(bounded.name.utf8.count == 256 && bounded.version?.utf8.count == 256)
        #expect(bounded.handlers.count == 1_000 && !bounded.handlers.contains(long))
        #expect(bounded.registrations?.count == 10_000)
        #expect(bounded.registrations?.allSatisfy { $0.identifier?.utf8.count == 256 } == true)
    }

    @Test("a call above its limits is refused with the status that the worker uses for it")
    func calls() {
        func submit(
            _ identifier: String = "a", _ parameters: String? = nil, _ delay: Int64 = 0,
            _ requires: UInt8 = 0
        ) -> Int32? {
            WorkerMessage.Call.submit(
                WorkerMessage.Request(
                    identifier: identifier, parameters: parameters, delayNanoseconds: delay,
                    requires: requires)
            ).refusal
        }
        #expect(submit() == nil)
        #expect(submit("a", nil, .max, 1) == nil)
        #expect(submit(String(repeating: "a", count: 257)) == BGRUN_E_INVALID)
        #expect(submit("a", nil, -1) == BGRUN_E_INVALID)
        #expect(submit("a", nil, 0, 0x80) == BGRUN_E_INVALID)
        #expect(submit("a", String(repeating: " ", count: 1 << 20)) == nil)
        #expect(submit("a", String(repeating: " ", count: 1 << 20 + 1)) == BGRUN_E_TOO_LARGE)
        let most = Int(BGRUN_CHECKPOINT_MAX)
        #expect(
            WorkerMessage.Call.putCheckpoint(
                version: 1, data: [UInt8](repeating: 0, count: most)
            ).refusal == nil)
        #expect(
            WorkerMessage.Call.putCheckpoint(
                version: 1, data: [UInt8](repeating: 0, count: most + 1)
            ).refusal == BGRUN_E_TOO_LARGE)
        #expect(WorkerMessage.Call.cancel(identifier: long).refusal == BGRUN_E_INVALID)
        #expect(WorkerMessage.Call.pending.refusal == nil)
        var request = WorkerMessage.TransferRequest(session: "s", url: "https://example.com")
        #expect(WorkerMessage.Call.transfer(.create(request)).refusal == nil)
        let texts: [WritableKeyPath<WorkerMessage.TransferRequest, String?>] = [
            \.url, \.method, \.headers, \.file, \.sha256, \.description,
        ]
        for text in texts {
            var large = request
            large[keyPath: text] = long
            #expect(
                WorkerMessage.Call.transfer(.create(large)).refusal == BGRUN_E_TOO_LARGE, "\(text)")
        }
        let named = WorkerMessage.TransferRequest(session: long, url: request.url)
        #expect(WorkerMessage.Call.transfer(.create(named)).refusal == BGRUN_E_TOO_LARGE)
        request.resumeData = [UInt8](repeating: 0, count: Int(BGRUN_TRANSFER_TEXT_MAX))
        #expect(WorkerMessage.Call.transfer(.create(request)).refusal == nil)
        request.resumeData.append(0)
        #expect(WorkerMessage.Call.transfer(.create(request)).refusal == BGRUN_E_TOO_LARGE)
        #expect(WorkerMessage.Call.transfer(.list(session: long)).refusal == BGRUN_E_TOO_LARGE)
        #expect(
            WorkerMessage.Call.transfer(.nextEnded(session: long)).refusal == BGRUN_E_TOO_LARGE)
        #expect(WorkerMessage.Call.transfer(.resume(id: .min)).refusal == nil)
    }
}
