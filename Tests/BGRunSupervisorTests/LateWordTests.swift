// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunProtocol
import BGRunSystem
import Glibc
import Testing

@testable import BGRunSupervisor

@Suite("Unexpected messages of a worker", .timeLimit(.minutes(5)))
final class LateWordTests: SupervisorBench {
    private func change(_ body: (inout SupervisorLimits) -> Void) {
        var limits = SupervisorLimits(.server)
        body(&limits)
        supervisor.change(
            limits,
            app: HostMessage.App(
                identifier: "org.test.app", manifestDirectory: "/", permitted: [], tasks: []))
    }

    /// The lines of an attempt; 0 stands for lines without an attempt.
    private func lines(of wanted: Int64) -> [String] {
        settle()
        var lines: [String] = []
        for case .line(let attempt, let line) in notices where attempt == wanted {
            lines.append(line.text)
        }
        return lines
    }

    /// Lets the worker print `text`, which is not read yet.
    private func print(_ text: String, _ worker: WorkerProcess) throws {
        try put(Array(text.utf8), at: worker.output)
    }

    /// Lets `descriptor` return `bytes` when it is read.
    private func put(_ bytes: [UInt8], at descriptor: Int32) throws {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        try #require(dup2(ends[0], descriptor) == descriptor)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #expect(write(ends[1], bytes, bytes.count) == bytes.count)
    }

    @Test("a report of the revocation does not replace an earlier result")
    func abandoned() throws {
        let worker = try prepare(1)
        launch(1)
        say(.completed(attempt: 1, success: true, message: "done", enteredMonotonic: 1), worker)
        say(.completed(attempt: 1, success: nil, message: "late", enteredMonotonic: 2), worker)
        die(worker)
        let end = try #require(ends[1])
        #expect(end.map(\.outcome) == [.completed] && end[0].message == "done")
    }

    @Test("a report of an attempt that is not running counts for neither attempt")
    func other() throws {
        let worker = try launched(1)
        say(.completed(attempt: 2, success: true, message: "2", enteredMonotonic: 1), worker)
        say(.completed(attempt: 1, success: false, message: "1", enteredMonotonic: 1), worker)
        die(worker)
        let end = try #require(ends[1])
        #expect(end.map(\.outcome) == [.failed] && end[0].message == "1")
        #expect(ends[2] == nil)
    }

    @Test("an end of an attempt that is not running ends neither attempt")
    func otherIdle() throws {
        let worker = try launched(1)
        say(.completed(attempt: 1, success: true, message: nil, enteredMonotonic: 1), worker)
        say(.idle(attempt: 2, leftovers: []), worker)
        #expect(ends.isEmpty && worker.work?.attempt == 1)
        say(.idle(attempt: 1, leftovers: []), worker)
        #expect(ends[1]?.map(\.outcome) == [.completed] && ends[2] == nil)
    }

    @Test(
        "progress and a title after the report count only while an assertion is held",
        arguments: [false, true])
    func afterReport(_ isHeld: Bool) throws {
        let worker = try launched(1)
        if isHeld { say(.assertionBegan(attempt: 1, id: 7, name: nil), worker) }
        say(.completed(attempt: 1, success: true, message: nil, enteredMonotonic: 1), worker)
        say(.progress(attempt: 1, completed: 1, total: 2), worker)
        say(.title(attempt: 1, title: "late", subtitle: nil), worker)
        settle()
        let count = notices.count { notice in
            switch notice {
            case .progress, .title: true
            default: false
            }
        }
        #expect(count == (isHeld ? 2 : 0))
    }

    @Test("standard output and standard error are distinguished")
    func streams() throws {
        let worker = try launched(1)
        try print("out\n", worker)
        supervisor.receiveOutput(of: worker, worker.output)
        try put(Array("err\n".utf8), at: worker.error)
        supervisor.receiveOutput(of: worker, worker.error)
        settle()
        let lines = notices.compactMap { if case .line(1, let line) = $0 { line } else { nil } }
        #expect(
            lines == [
                HandlerLine(source: .standardOutput, text: "out"),
                HandlerLine(source: .standardError, text: "err"),
            ])
    }

    @Test("a report of the revocation of an attempt that was not revoked is a failure")
    func notRevoked() throws {
        let worker = try prepare(1)
        launch(1)
        say(.completed(attempt: 1, success: nil, message: nil, enteredMonotonic: 1), worker)
        die(worker)
        let end = try #require(ends[1])
        #expect(end.map(\.outcome) == [.failed] && end[0].enteredMonotonic == 1)
    }

    @Test("a shortage does not defer an attempt of a worker that has sent a message before")
    func short() throws {
        let worker = try launched(1)
        say(.log(attempt: 1, level: 1, text: "begins"), worker)
        say(.short(ENOMEM), worker)
        die(worker)
        #expect(ends[1]?.map(\.outcome) == [.crashed(signal: SIGKILL)])
    }

    @Test(
        "an attempt had to wait for a resource if it reports so, or its worker before it is loaded",
        arguments: [
            (0, ENOMEM, false, .memory), (0, ENOMEM, true, nil), (1, EMFILE, true, .descriptors),
            (1, EAGAIN, true, .processes), (1, EPERM, true, nil), (1, 0, true, nil),
            (2, ENOMEM, true, nil),
        ] as [(Int64, Int32, Bool, Resource?)])
    func waits(
        _ attempt: Int64, _ error: Int32, _ hasLoaded: Bool, _ resource: Resource?
    ) throws {
        let worker = try launched(1)
        worker.hasLoaded = hasLoaded
        say(.waiting(attempt: attempt, error: error), worker)
        #expect(worker.work?.signs.missing == resource)
    }

    @Test("a worker that waits before its attempt is launched waits for that attempt only")
    func waitsEarly() throws {
        let worker = try prepare(1)
        say(.waiting(attempt: 0, error: ENOMEM), worker)
        launch(1)
        #expect(worker.work?.signs.missing == .memory)
        #expect(worker.earlySigns.missing == nil)
    }

    @Test("a shortage reported after the result does not change how the attempt ended")
    func waitsLate() throws {
        let worker = try launched(1)
        supervisor.expire(1, .time, grace: .seconds(5), deadlineElapsed: .max)
        say(.completed(attempt: 1, success: false, message: nil, enteredMonotonic: 1), worker)
        say(.waiting(attempt: 1, error: ENOMEM), worker)
        die(worker)
        #expect(ends[1]?.map(\.outcome) == [.expired(.time, reported: false)])
    }

    @Test("lines of a worker without an attempt are logged up to the limit of an attempt")
    func stray() throws {
        change { $0.outputLines = 3 }
        let worker = try prepare(1)
        for number in 0..<5 { say(.log(attempt: 0, level: 1, text: "\(number)"), worker) }
        #expect(lines(of: 0) == ["0", "1", "2"])
    }

    @Test("lines after a dropped one are among the last, also if a reload increases the limit")
    func moreLines() throws {
        change { $0.outputLines = 3 }
        let worker = try launched(1)
        for number in 1...8 { say(.log(attempt: 1, level: 1, text: "\(number)"), worker) }
        change { $0.outputLines = 9 }
        say(.log(attempt: 1, level: 1, text: "9"), worker)
        die(worker)
        let end = try #require(ends[1]?.first)
        #expect(lines(of: 1) == ["1", "2", "3"] && end.droppedLines == 6)
        let last = try #require(end.lastLines)
        #expect(last.replaced == 2...3 && last.first == 8)
        #expect(last.lines.map(\.line.text) == ["8", "9"])
    }

    @Test("handlers that a worker without an attempt registers are reported together")
    func registersBetweenAttempts() throws {
        let worker = try prepare(1)
        say(
            .loaded(
                WorkerMessage.Loaded(
                    name: "app", version: nil, abiVersion: 0, flags: 0,
                    handlers: [WorkerMessage.Loaded.defaultHandler], registrations: [])), worker)
        for identifier in ["org.test.a", "org.test.b"] {
            let frame = WorkerMessage.registered(Registration(identifier: identifier)).frame
            frame.withUnsafeBytes { worker.frames.append($0) }
        }
        supervisor.receive(from: worker)
        settle()
        var told: [[String?]] = []
        for case .registered(attempt: 0, plugin: "/bin/true", let loaded) in notices {
            told.append(loaded.registrations?.map(\.identifier) ?? [])
        }
        #expect(told == [["org.test.a", "org.test.b"]])
    }

    @Test("a report that is read after the end of the worker counts")
    func lastReport() throws {
        let worker = try launched(1)
        let report = WorkerMessage.completed(
            attempt: 1, success: true, message: nil, enteredMonotonic: 1)
        try put(Array(report.frame), at: worker.control.descriptor)
        die(worker)
        #expect(ends[1]?.map(\.outcome) == [.completed])
    }

    @Test("lines that are read after the end of the worker are kept")
    func lastLines() throws {
        let worker = try launched(1)
        try print("before the end\nlast words", worker)
        die(worker)
        #expect(lines(of: 1) == ["before the end", "last words"])
    }

    @Test("a longer line is kept after a reload that permits it")
    func longLine() throws {
        let text = String(repeating: "x", count: SupervisorLimits(.server).outputLineBytes + 100)
        change { $0.outputLineBytes = text.utf8.count }
        let worker = try launched(1)
        try print(text, worker)
        die(worker)
        #expect(lines(of: 1).map(\.utf8.count) == [text.utf8.count])
    }

    @Test("of two workers with the handler, the idle one gets the attempt")
    func idleOne() throws {
        let workers = [try prepare(1), try prepare(2)].sorted { $0.pid < $1.pid }
        launch(1)
        launch(2)
        for worker in workers { worker.dynamicIdentifiers = ["org.test.a"] }
        // The first worker would be chosen if both were idle or both were busy.
        let attempt = try #require(workers[1].work?.attempt)
        workers[1].work = nil
        supervisor.busy[attempt] = nil
        #expect(try prepare(3) === workers[1])
        launch(3)
        #expect(workers[1].work?.attempt == 3 && workers[0].waiting.isEmpty)
    }

    @Test("each worker that is idle for too long ends, not only the first")
    func idleForLong() throws {
        change { $0.warmIdle = .milliseconds(1) }
        for attempt: Int64 in 1...3 {
            let worker = try prepare(attempt)
            supervisor.keep(worker)
            #expect(!worker.isEnding)
            func look() {
                // The time limit of the suite cancels the task.
                guard !worker.isEnding, !Task.isCancelled else { return loop.stop() }
                loop.inNextRound(look)
            }
            look()
            loop.run()
            #expect(worker.isEnding)
            // It counts until it has exited; the end of the host waits for that.
            #expect(supervisor.hasWarmWorkers)
        }
    }
}
