// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunProtocol
import BGRunSystem
import CBGRunPlugin
import Glibc
import Testing

@testable import BGRunSupervisor

@Suite("A worker that calls without waiting for answers", .timeLimit(.minutes(5)))
final class OpenCallTests: SupervisorBench {
    private func submission(_ parameters: Int) -> WorkerMessage.Call {
        .submit(
            WorkerMessage.Request(
                identifier: "a", parameters: String(repeating: " ", count: parameters)))
    }

    /// The calls that the host has received.
    private var calls: [CallAnswer] {
        settle()
        return notices.compactMap { if case .call(_, _, let answer) = $0 { answer } else { nil } }
    }

    @Test("has a limited number of open calls, and again as many after the answers")
    func count() throws {
        let worker = try launched(1)
        for number in 0..<UInt32(OpenCalls.most + 10) {
            say(.call(attempt: 1, call: number, .pending), worker)
        }
        #expect(calls.count == OpenCalls.most)
        let open = calls
        try #require(open.count > 2)
        for call in open.prefix(2) { call(HostMessage.Answer(status: 0)) }
        open[2].inParts { HostMessage.Answer(status: 0) }
        for number in 0..<5 { say(.call(attempt: 1, call: UInt32(number), .pending), worker) }
        #expect(calls.count == OpenCalls.most + 3)
    }

    @Test("has a limited number of bytes in open calls")
    func bytes() throws {
        let worker = try launched(1)
        for number in 0..<UInt32(20) {
            say(.call(attempt: 1, call: number, submission(1 << 20)), worker)
        }
        #expect(calls.count == OpenCalls.mostBytes >> 20 - 1)
        for call in calls { call(HostMessage.Answer(status: 0)) }
        #expect(worker.open.count == 0 && worker.open.bytes == 0)
    }

    @Test("has a limited number of bytes in open transfer requests, with every text counted")
    func transferBytes() throws {
        let small = WorkerMessage.TransferRequest(session: "s", url: "https://example.com")
        let smallSize = WorkerMessage.Call.transfer(.create(small)).size
        let text = String(repeating: " ", count: 64 << 10)
        let texts: [WritableKeyPath<WorkerMessage.TransferRequest, String?>] = [
            \.method, \.headers, \.file, \.sha256, \.description,
        ]
        var large = small
        for key in texts {
            large[keyPath: key] = text
            var one = small
            one[keyPath: key] = text
            #expect(
                WorkerMessage.Call.transfer(.create(one)).size == smallSize + 64 << 10, "\(key)")
        }
        #expect(smallSize == "s".utf8.count + "https://example.com".utf8.count)
        let worker = try launched(1)
        for number in 0..<UInt32(60) {
            say(.call(attempt: 1, call: number, .transfer(.create(large))), worker)
        }
        #expect(calls.count == OpenCalls.mostBytes / (smallSize + 5 * 64 << 10))
    }

    @Test("has a limited number of open lists, and learns that the host is busy")
    func lists() throws {
        let worker = try launched(1)
        let sent = try sent(to: worker, by: \.control) {
            for number in 0...UInt32(PartedAnswers.most) {
                _ = worker.open.add(0)
                supervisor.answer(to: number, 0, of: 1, in: worker).inParts {
                    HostMessage.Answer(status: 0)
                }
            }
        }
        let busy = HostMessage.Answer(status: BGRUN_E_UNAVAILABLE)
        #expect(sent == HostMessage.answer(call: UInt32(PartedAnswers.most), busy).frame)
    }

    /// Longer than the buffer of a socket that is not read.
    private static let long = HostMessage.Answer(
        status: 0, data: [UInt8](repeating: 1, count: 3 << 20))

    @Test("is ended when it leaves 8 MiB of answers unread, and then uses no more memory")
    func unread() throws {
        let worker = try launched(1)
        var killed: [pid_t] = []
        supervisor.makeSweep = { root, spared in
            killed.append(root)
            return KillSweep(below: root, sparing: spared)
        }
        var backlogs: [Int] = []
        _ = try sent(to: worker, by: \.control) {
            for number: UInt32 in 0..<5 {
                if number < 3 { #expect(killed.isEmpty) }
                supervisor.send(Self.long, to: number, of: worker)
                backlogs.append(worker.control.backlog)
            }
        }
        #expect(killed.contains(worker.pid))
        #expect(backlogs[1] < backlogs[2] && backlogs[3] == backlogs[4])
        #expect(backlogs[4] < 12 << 20)
    }

    @Test(
        "is not kept if its unread answers end it before it is idle",
        arguments: [true, false])
    func unreadAndIdle(isAtCall: Bool) throws {
        let worker = try launched(1)
        var messages: [WorkerMessage] = [
            .completed(attempt: 1, success: true, message: nil, enteredMonotonic: 0),
            .idle(attempt: 1, leftovers: []),
        ]
        // Either a call is refused at once, or a list is refused at the end of its attempt.
        if isAtCall {
            messages.insert(
                .completed(attempt: 1, success: nil, message: nil, enteredMonotonic: 0), at: 0)
            messages.insert(.call(attempt: 2, call: 9, .pending), at: 0)
        }
        _ = try sent(to: worker, by: \.control) {
            if !isAtCall {
                let isListed = worker.parts.add(9, of: 1) { HostMessage.Answer(status: 0) }
                #expect(isListed)
            }
            for number: UInt32 in 0..<3 { supervisor.send(Self.long, to: number, of: worker) }
            #expect(!worker.isEnding)
            for message in messages.dropLast() {
                message.frame.withUnsafeBytes { worker.frames.append($0) }
            }
            say(messages[messages.count - 1], worker)
        }
        #expect(worker.isEnding && !supervisor.hasWarmWorkers && ends.isEmpty)
        #expect(try prepare(2, .processing) !== worker)
        die(worker)
        // Only messages before the end count.
        #expect(ends[1]?.map(\.outcome) == [isAtCall ? .crashed(signal: SIGKILL) : .completed])
        let unread = "the handler did not read bgrun's answers"
        #expect(ends[1]?.map { $0.message == unread } == [isAtCall])
    }

    @Test("is sent no part of a list while an earlier answer is unread")
    func partAfterAnswer() throws {
        let worker = try launched(1)
        var parts = 0
        func list(_ number: UInt32) {
            _ = worker.open.add(0)
            supervisor.answer(to: number, 0, of: 1, in: worker).inParts {
                parts += 1
                return HostMessage.Answer(status: 0)
            }
        }
        _ = try sent(to: worker, by: \.control) {
            list(1)
            turn()
            #expect(parts == 1)
            list(2)
            // This answer comes between the list and its first part.
            supervisor.send(Self.long, to: 3, of: worker)
            #expect(worker.control.isBacklogged)
            turn()
            #expect(parts == 1)
        }
    }

    @Test("receives no change of the device while it does not read, then the newest state")
    func device() throws {
        let worker = try launched(1)
        var ends: [Int32] = [-1, -1]
        let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        try #require(socketpair(AF_UNIX, Int32(type), 0, &ends) == 0)
        let own = worker.control
        worker.control = Outlet(ends[0])
        defer {
            worker.control = own
            for end in ends { close(end) }
        }
        supervisor.send(Self.long, to: 1, of: worker)
        let backlog = worker.control.backlog
        var device = Self.work(1).launch.device
        for percent: Int8 in 0...100 {
            device.batteryPercent = percent
            supervisor.tell(device)
        }
        #expect(backlog > 0 && worker.control.backlog == backlog)
        var received: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(ends[1], &chunk, chunk.count)
            if count > 0 {
                received += chunk[..<count]
            } else if worker.control.isBacklogged {
                supervisor.flushControl(of: worker)
            } else {
                break
            }
        }
        let expected =
            HostMessage.answer(call: 1, Self.long).frame + HostMessage.device(device).frame
        let isExpected = received == expected
        #expect(isExpected, "\(received.count) bytes came, \(expected.count) were expected")
    }

    /// A `pending` call of a worker that runs attempt 1.
    private func list() throws -> (worker: WorkerProcess, answer: CallAnswer) {
        let worker = try launched(1)
        say(.call(attempt: 1, call: 7, .pending), worker)
        return (worker, try #require(calls.first))
    }

    @Test("learns that its attempt has ended if it still waits for a list")
    func listAtEnd() throws {
        let (worker, answer) = try list()
        let sent = try sent(to: worker, by: \.control) {
            answer.inParts { HostMessage.Answer(status: 0) }
            say(.completed(attempt: 1, success: true, message: nil, enteredMonotonic: 0), worker)
            say(.idle(attempt: 1, leftovers: []), worker)
        }
        let over = HostMessage.Answer(status: BGRUN_E_STATE)
        #expect(sent == HostMessage.answer(call: 7, over).frame)
        #expect(worker.parts.isEmpty)
    }

    @Test("gets an error instead of an answer that is larger than one message, and no further part")
    func tooLarge() throws {
        let (worker, answer) = try list()
        let sent = try sent(to: worker, by: \.control) {
            answer.inParts {
                let data = [UInt8](repeating: 1, count: FrameBuffer.largestFrame)
                return HostMessage.Answer(status: 0, data: data, hasMore: true)
            }
            turn()
        }
        let refusal = HostMessage.Answer(status: BGRUN_E_TOO_LARGE)
        #expect(sent == HostMessage.answer(call: 7, refusal).frame)
        #expect(worker.parts.isEmpty)
    }

    @Test("gets no list after it has ended or must end", arguments: [true, false])
    func listOfEnded(hasEnded: Bool) throws {
        let (worker, answer) = try list()
        var parts = 0
        if hasEnded { worker.death = .signalled(SIGKILL) }
        answer.inParts {
            parts += 1
            return HostMessage.Answer(status: 0)
        }
        if !hasEnded { supervisor.end(worker) }
        turn()
        #expect(parts == 0)
    }

    @Test("submits for its running attempt, also from other code of its process")
    func submitter() throws {
        let worker = try launched(1)
        say(.call(attempt: 0, call: 1, submission(1)), worker)
        say(.call(attempt: 0, call: 2, .pending), worker)
        settle()
        let callers = notices.compactMap { notice in
            if case .call(let attempt, _, _) = notice { attempt } else { nil }
        }
        #expect(callers == [1, 0])
    }

    @Test("cannot store a checkpoint from code outside an attempt")
    func processCheckpoint() throws {
        let worker = try launched(1)
        say(.call(attempt: 0, call: 1, .putCheckpoint(version: 1, data: [])), worker)
        #expect(calls.isEmpty)
        say(.call(attempt: 1, call: 2, .putCheckpoint(version: 1, data: [])), worker)
        #expect(calls.count == 1)
    }

    @Test("begins an assertion once, even if it reports it repeatedly")
    func sameAssertion() throws {
        let worker = try launched(1)
        for id: Int64 in [7, 7, 8, 7] {
            say(.assertionBegan(attempt: 1, id: id, name: nil), worker)
        }
        settle()
        let begun = notices.compactMap {
            if case .assertionBegan(_, let id) = $0 { id } else { nil }
        }
        #expect(begun == [7, 8] && worker.work?.assertions.map(\.id) == [7, 8])
    }

    @Test("ends only assertions that it holds")
    func assertions() throws {
        let worker = try launched(1)
        say(.assertionBegan(attempt: 1, id: 7, name: nil), worker)
        for id: Int64 in [8, 7, 7] { say(.assertionEnded(attempt: 1, id: id), worker) }
        settle()
        let ended = notices.compactMap {
            if case .assertionEnded(_, let id) = $0 { id } else { nil }
        }
        #expect(ended == [7])
    }

    @Test("begins a held assertion only once")
    func assertionAgain() throws {
        let worker = try launched(1)
        for _ in 0..<5 { say(.assertionBegan(attempt: 1, id: 7, name: nil), worker) }
        settle()
        let begun = notices.compactMap {
            if case .assertionBegan(_, let id) = $0 { id } else { nil }
        }
        #expect(begun == [7] && worker.work?.assertions.count == 1)
    }
}
