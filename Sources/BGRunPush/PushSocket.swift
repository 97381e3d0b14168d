// SPDX-License-Identifier: Apache-2.0

import BGRunCore
public import BGRunLoop
import Glibc

/// A UNIX socket that takes messages, one JSON object a line, and answers each with a line, in their order,
/// when it is on the disk or refused. Its user's alone, and root's.
///
/// Belongs to the loop's thread.
public final class PushSocket {
    private static let most = 64
    private static let longestOutput = 1 << 20

    private let door: PushDoor
    private let path: String
    private let task: String?
    private let listener: Int32
    private let acceptor: Acceptor
    private var callers: [Int32: Caller] = [:]

    private final class Caller {
        var lines = LineBuffer(limit: PushEnvelope.longest)
        var output: [UInt8] = []
        /// The answers to lines, in their order; nil: not answered yet.
        var answers: [PushAnswer?] = []
        /// Answers that were sent.
        var sent = 0
        /// Whether it has sent all it will.
        var isDone = false
    }

    /// Listens at `path`; a socket that a dead host has left there is replaced.
    public init(_ door: PushDoor, path: String, task: String?) throws(SystemFailure) {
        self.door = door
        self.path = path
        self.task = task
        listener = try Self.listen(path)
        acceptor = Acceptor(listener)
        try door.loop.watch(listener) { [unowned self] _ in accept() }
        door.say(PushSourceState(source: "socket", place: path, problem: nil, since: door.now()))
    }

    deinit {
        for descriptor in callers.keys {
            door.loop.forget(descriptor)
            close(descriptor)
        }
        door.loop.forget(listener)
        close(listener)
        unlink(path)
    }

    private static func listen(_ path: String) throws(SystemFailure) -> Int32 {
        let listener = try SystemFailure.check("socket", SocketName.stream(AF_UNIX))
        do throws(SystemFailure) {
            try UnixListener.bind(listener, toFree: path)
            try SystemFailure.check("listen", Glibc.listen(listener, 64))
        } catch {
            close(listener)
            throw error
        }
        _ = fcntl(listener, F_SETFL, O_NONBLOCK)
        return listener
    }

    private func accept() {
        while let descriptor = acceptor.next() {
            guard callers.count < Self.most else {
                close(descriptor)
                continue
            }
            callers[descriptor] = Caller()
            do throws(SystemFailure) {
                try door.loop.watch(descriptor) { [unowned self] in serve(descriptor, $0) }
            } catch {
                callers[descriptor] = nil
                close(descriptor)
            }
        }
    }

    private func serve(_ descriptor: Int32, _ readiness: EventLoop.Readiness) {
        guard let caller = callers[descriptor] else { return }
        if readiness.contains(.write) { flush(descriptor, caller) }
        guard readiness.contains(.read), callers[descriptor] === caller, !caller.isDone else {
            return
        }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = read(descriptor, &chunk, chunk.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else { return finish(descriptor, caller) }
        guard let lines = caller.lines.add(chunk[..<count]) else {
            caller.answers.append(
                PushAnswer(.failure(.malformed("a line has over \(PushEnvelope.longest) bytes"))))
            return finish(descriptor, caller)
        }
        for line in lines { take(line, descriptor, caller) }
    }

    private func take(_ line: [UInt8], _ descriptor: Int32, _ caller: Caller) {
        let number = caller.sent + caller.answers.count
        caller.answers.append(nil)
        door.deliver("the socket \(path)") { () throws(PushRefusal) in
            try PushEnvelope.read(line, task: task, sent: door.now())
        } _: { [weak self, weak caller] result in
            guard let self, let caller, callers[descriptor] === caller else { return }
            caller.answers[number - caller.sent] = PushAnswer(result)
            answer(descriptor, caller)
        }
    }

    /// Sends the answers whose turn it is.
    private func answer(_ descriptor: Int32, _ caller: Caller) {
        while let answer = caller.answers.first.flatMap(\.self) {
            caller.answers.removeFirst()
            caller.sent += 1
            caller.output += Array(answer.json.utf8) + [UInt8(ascii: "\n")]
        }
        guard caller.output.count <= Self.longestOutput else { return drop(descriptor) }
        flush(descriptor, caller)
    }

    private func flush(_ descriptor: Int32, _ caller: Caller) {
        while !caller.output.isEmpty {
            let count = send(
                descriptor, caller.output, caller.output.count, Int32(MSG_NOSIGNAL))
            if count < 0, errno == EINTR { continue }
            if count < 0 {
                guard errno == EAGAIN else { return drop(descriptor) }
                return door.loop.change(
                    descriptor, to: caller.isDone ? .write : [.read, .write])
            }
            caller.output.removeFirst(count)
        }
        if caller.isDone, caller.answers.isEmpty { return drop(descriptor) }
        door.loop.change(descriptor, to: caller.isDone ? [] : .read)
    }

    /// It sends nothing more, and is answered what is open.
    private func finish(_ descriptor: Int32, _ caller: Caller) {
        caller.isDone = true
        door.loop.change(descriptor, to: [])
        answer(descriptor, caller)
    }

    private func drop(_ descriptor: Int32) {
        door.loop.forget(descriptor)
        guard callers.removeValue(forKey: descriptor) != nil else { return }
        close(descriptor)
    }
}
