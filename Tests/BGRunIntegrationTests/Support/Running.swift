// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import Foundation
import Glibc
import Synchronization

/// A running program; tests can wait for its lines.
///
/// A separate thread reads its output and reaps it, so that a waiting test blocks no thread of the
/// pool that runs the tests.
final class Running: Sendable {
    let pid: pid_t
    private let state = Mutex(State())

    private struct State {
        var output: [UInt8] = []
        var error: [UInt8] = []
        var status: Int32?
        var waiters: [Waiter] = []
    }

    private struct Waiter {
        /// Whether the state meets the waiter's condition.
        var isServed: @Sendable (borrowing State) -> Bool
        var go: CheckedContinuation<Void, Never>
    }

    struct EndedEarly: Error, CustomStringConvertible {
        var description: String
    }

    /// Starts `path` in its own process group, without input.
    /// - Parameter closingError: Whether to close the reading end of its standard error.
    init(
        _ path: String, _ arguments: [String], environment: [String: String],
        closingError: Bool = false
    ) throws {
        let output = try ProgramStart.pipe()
        let error = try ProgramStart.pipe()
        defer { for descriptor in [output.write, error.write] { close(descriptor) } }
        if closingError { close(error.read) }
        pid = try ProgramStart.spawn(
            path, arguments, environment: environment.map { "\($0.key)=\($0.value)" }.sorted(),
            [nil, output.write, error.write])
        let readers = closingError ? [output.read] : [output.read, error.read]
        Thread.detachNewThread { [self] in follow(readers) }
    }

    /// Sends a signal; has no effect once the program has ended.
    func signal(_ number: Int32) {
        state.withLock { state in
            if state.status == nil { _ = kill(pid, number) }
        }
    }

    /// Waits for a line of its standard error that contains `text`.
    @discardableResult
    func line(_ text: String, after index: Int = 0) async throws -> String {
        await wait { state in
            Self.lines(state.error).dropFirst(index).contains { $0.contains(text) }
        }
        let lines = errorLines
        guard let line = lines.dropFirst(index).first(where: { $0.contains(text) }) else {
            throw EndedEarly(
                description: "it ended without \"\(text)\":\n" + lines.joined(separator: "\n"))
        }
        return line
    }

    /// Waits until it has written `count` lines on its standard error, or has ended.
    func lines(_ count: Int) async {
        await wait { Self.lines($0.error).count >= count }
    }

    /// The complete lines of its standard error so far.
    var errorLines: [String] { state.withLock { Self.lines($0.error) } }

    /// Waits for its end.
    @discardableResult
    func end() async -> Finished {
        await wait { $0.status != nil }
        return state.withLock { state in
            Finished(
                status: state.status ?? 0, output: String(decoding: state.output, as: UTF8.self),
                error: String(decoding: state.error, as: UTF8.self))
        }
    }

    /// Sends a signal, and waits for its end.
    @discardableResult
    func stop(_ number: Int32 = SIGTERM) async -> Finished {
        signal(number)
        return await end()
    }

    private func wait(until isServed: @escaping @Sendable (borrowing State) -> Bool) async {
        // When a test's time is over, the program is killed and the wait ends.
        await withTaskCancellationHandler {
            await withCheckedContinuation { go in
                let isOver = state.withLock { state in
                    if isServed(state) || state.status != nil { return true }
                    state.waiters.append(Waiter(isServed: isServed, go: go))
                    return false
                }
                if isOver { go.resume() }
            }
        } onCancel: {
            signal(SIGKILL)
        }
    }

    private func follow(_ descriptors: [Int32]) {
        var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while polled.contains(where: { $0.fd >= 0 }) {
            poll(&polled, nfds_t(polled.count), -1)
            for index in polled.indices where polled[index].revents != 0 {
                let count = read(polled[index].fd, &chunk, chunk.count)
                if count > 0 {
                    let bytes = chunk[..<count]
                    change {
                        index == 0
                            ? $0.output.append(contentsOf: bytes)
                            : $0.error.append(contentsOf: bytes)
                    }
                } else {
                    close(polled[index].fd)
                    polled[index].fd = -1
                }
            }
        }
        var info = siginfo_t()
        waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT)
        change { state in
            var status: Int32 = 0
            waitpid(pid, &status, 0)
            state.status = status
        }
    }

    /// Changes the state, then resumes the waiters whose condition is met.
    private func change(_ body: (inout State) -> Void) {
        let ready = state.withLock { state in
            body(&state)
            var ready: [Waiter] = []
            var rest: [Waiter] = []
            for waiter in state.waiters {
                if state.status != nil || waiter.isServed(state) {
                    ready.append(waiter)
                } else {
                    rest.append(waiter)
                }
            }
            state.waiters = rest
            return ready
        }
        for waiter in ready { waiter.go.resume() }
    }

    private static func lines(_ bytes: [UInt8]) -> [String] {
        guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        return bytes[..<end].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}

/// A program that has ended.
struct Finished: Sendable {
    /// The status that `waitpid` returned.
    var status: Int32
    var output: String
    var error: String

    /// Its exit code, or 128 plus the signal that ended it.
    var code: Int32 { status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f) }
}
