// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import CBGRunShims
import Glibc

/// Keeps a helper program running that handles a network protocol for this process: one line per message over a
/// socket, its descriptor 3. If it ends or sends an invalid line, restarts it after a pause. Belongs to the
/// loop's thread.
package final class ChildProgram {
    package struct Program {
        var executable: String
        var arguments: [String]
        /// A socket that becomes its descriptor 4; the caller keeps it.
        var listener: Int32?
        /// The maximum length of a line that it sends, in bytes.
        var longestLine: Int
        /// The maximum number of bytes that it has not read.
        package var backlog = 4 << 20
        /// Receives the ID of each started process, and reaps it. Nil: this object kills and reaps the
        /// processes.
        var started: ((pid_t) -> Void)?

        /// Whether it ends by itself after its socket is closed and it has handled all earlier messages.
        package var endsWithSocket = false

        package init(
            _ executable: String, arguments: [String] = [], listener: Int32? = nil,
            longestLine: Int, started: ((pid_t) -> Void)?
        ) {
            self.executable = executable
            self.arguments = arguments
            self.listener = listener
            self.longestLine = longestLine
            self.started = started
        }

        /// The name of its file.
        package var name: String {
            executable.split(separator: "/").last.map(String.init) ?? executable
        }
    }

    /// The pause between two starts: doubled after each failed start, reset once the program works.
    private static let pauses: ClosedRange<Int64> = 1_000_000_000...60_000_000_000

    private let loop: EventLoop
    private let program: Program
    private let open: (pid_t) -> ProcessHandle?
    private let began: () -> Void
    private let taken: ([UInt8]) -> Bool
    private let lost: (_ reason: String, _ hasRun: Bool) -> Void
    private var timer: LoopTimer?
    private var pause = pauses.lowerBound
    private var process: ProcessHandle?
    private var channel: LineChannel?
    /// Killed processes that are not reaped yet. Only for programs without `started`: nothing else reaps these.
    private var unreaped: [pid_t] = []
    /// Incremented at each end: answers to an earlier process have no receiver.
    package private(set) var generation = 0

    /// Starts nothing before `start`.
    /// - Parameters:
    ///   - open: Opens a started process; nil if no descriptor is free.
    ///   - began: Called after each start.
    ///   - taken: Receives a line; false: it is invalid.
    ///   - lost: Receives the reason why it does not run, and whether it ran before; it will be restarted.
    package init(
        _ loop: EventLoop, _ program: Program,
        open: @escaping (pid_t) -> ProcessHandle? = { ProcessHandle($0) },
        began: @escaping () -> Void = {},
        taken: @escaping ([UInt8]) -> Bool,
        lost: @escaping (_ reason: String, _ hasRun: Bool) -> Void
    ) throws(SystemFailure) {
        self.loop = loop
        self.program = program
        self.open = open
        self.began = began
        self.taken = taken
        self.lost = lost
        timer = try LoopTimer(loop) { [unowned self] in start() }
    }

    deinit {
        if program.endsWithSocket, program.started != nil { return closeChannel() }
        // A program that waits for its peer needs the signal as well.
        end(SIGTERM)
        reap()
    }

    package func start() {
        reap()
        do throws(SystemFailure) {
            try spawn()
            began()
        } catch {
            end(SIGKILL)
            startLater("it could not be started: \(error)", hasRun: false)
        }
    }

    /// - Parameter line: Including its line feed.
    package func send(_ line: [UInt8]) { channel?.send(line) }

    /// The number of bytes that are not sent yet.
    package var backlog: Int { channel?.backlog ?? 0 }

    /// Reports that it works: resets the pause.
    package func isWorking() { pause = Self.pauses.lowerBound }

    private func spawn() throws(SystemFailure) {
        let (socket, passed) = try ProgramStart.socketPair()
        defer { close(passed) }
        let descriptors: [Int32?] =
            [nil, nil, STDERR_FILENO, passed] + (program.listener.map { [$0] } ?? [])
        let pid: pid_t
        do throws(SystemFailure) {
            pid = try ProgramStart.spawn(program.executable, program.arguments, descriptors)
        } catch {
            close(socket)
            throw error
        }
        program.started?(pid)
        guard let process = ProcessHandle.child(pid, open: open) else {
            let code = errno
            if program.started == nil { unreaped.append(pid) }
            close(socket)
            throw SystemFailure("starting \(program.executable)", code: code)
        }
        self.process = process
        channel = try LineChannel(
            loop, socket, longest: program.longestLine, limit: program.backlog,
            heard: { [unowned self] line in if !taken(Array(line)) { restart() } },
            closed: { [unowned self] in restart() })
    }

    private func restart() {
        guard process != nil else { return }
        end(SIGKILL)
        startLater("\(program.name) has ended", hasRun: true)
    }

    private func startLater(_ reason: String, hasRun: Bool) {
        lost(reason, hasRun)
        timer?.set(elapsed: bgrun_boottime_ns() + pause)
        pause = min(pause * 2, Self.pauses.upperBound)
    }

    /// Ignores further lines, even those already read.
    private func closeChannel() {
        channel?.close()
        channel = nil
    }

    private func end(_ signal: Int32) {
        guard let process else { return }
        self.process = nil
        generation += 1
        closeChannel()
        guard program.started == nil else {
            process.signal(signal)
            return
        }
        // A kill loses no data here, so the wait is short.
        process.signal(SIGKILL)
        _ = process.waitForEnd(milliseconds: 1_000)
        unreaped.append(process.pid)
        reap()
    }

    /// A process that has not ended is reaped at the next start.
    private func reap() { unreaped.removeAll { waitpid($0, nil, WNOHANG) != 0 } }
}
