// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunSystem
import CBGRunShims
import FoundationEssentials
import Glibc

/// A program that a command starts and waits for.
struct Subprocess {
    private let process: ProcessHandle

    /// For a signal handler that is installed only while this value exists.
    var descriptor: Int32 { process.descriptor }

    /// Starts `path`; its standard input is empty.
    ///
    /// - Parameters:
    ///   - name: The first of its arguments, as `ps` and `pgrep -f` show it; nil: `path`.
    ///   - environment: By default that of this process.
    ///   - output: Becomes its standard output; nil: discarded.
    ///   - error: Becomes its standard error; nil: discarded.
    init(
        _ path: String, name: String? = nil, _ arguments: [String],
        environment: [String] = CStrings.environment, output: Int32? = nil,
        error: Int32? = STDERR_FILENO
    ) throws(SystemFailure) {
        let pid = try ProgramStart.spawn(
            path, name: name, arguments, environment: environment,
            [nil, output, error])
        guard let process = ProcessHandle.child(pid) else {
            let code = errno
            waitpid(pid, nil, 0)
            throw SystemFailure("starting \(path)", code: code)
        }
        self.process = process
    }

    func signal(_ number: Int32) { process.signal(number) }

    /// Kills it, unless it has ended. Gives up after `milliseconds`: a file system of its user can keep it
    /// from ending.
    func kill(within milliseconds: Int32) {
        process.signal(SIGKILL)
        if process.waitForEnd(milliseconds: milliseconds) { waitpid(process.pid, nil, 0) }
    }

    /// Waits for its end. Returns its exit status as a shell does: 128 plus the signal number for a killed
    /// process.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(process.pid, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }
}

/// A pipe whose read end belongs to this process.
struct OutputPipe: ~Copyable {
    private let readEnd: Int32
    private var writeEnd: Int32

    init() throws(SystemFailure) {
        (readEnd, writeEnd) = try ProgramStart.pipe()
    }

    deinit {
        close(readEnd)
        if writeEnd >= 0 { close(writeEnd) }
    }

    /// Passes the write end to `start`, then closes it here.
    mutating func write<Value>(_ start: (Int32) throws -> Value) rethrows -> Value {
        defer {
            close(writeEnd)
            writeEnd = -1
        }
        return try start(writeEnd)
    }

    /// Waits for bytes or the end; false if neither comes before `deadline`, nanoseconds of the
    /// monotonic clock.
    borrowing func wait(until deadline: Int64) -> Bool {
        while true {
            let left = (deadline - bgrun_monotonic_ns()) / 1_000_000
            var entry = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
            guard left > 0 else { return false }
            let count = poll(&entry, 1, Int32(clamping: left))
            if count < 0, errno == EINTR { continue }
            return count != 0
        }
    }

    /// The next bytes; empty at the end.
    borrowing func next() -> [UInt8] {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 65_536) { chunk in
            while true {
                let count = read(readEnd, chunk.baseAddress, chunk.count)
                if count < 0, errno == EINTR { continue }
                return Array(chunk[..<max(0, count)])
            }
        }
    }

    /// Everything up to the end; empty if it cannot be read.
    borrowing func all() -> [UInt8] { readAll(readEnd, limit: .max) ?? [] }
}

/// A private directory below the one for temporary files; its owner removes it.
enum TemporaryDirectory {
    /// Creates it, with a name that begins with `prefix`.
    static func make(_ prefix: String) throws(SystemFailure) -> String {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/\(prefix)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw SystemFailure("creating a directory in \(base)", code: errno)
        }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Creates it and returns its absolute path without links.
    static func makeResolved(_ prefix: String) throws(SystemFailure) -> String {
        URL(fileURLWithPath: try make(prefix)).resolvingSymlinksInPath().path
    }

    /// Passes an empty directory as the home of a tried app, and removes it.
    static func withAppHome<Result>(_ body: (String) throws -> Result) throws -> Result {
        let home = try makeResolved("bgrun-home")
        defer { try? FileManager.default.removeItem(atPath: home) }
        return try body(home)
    }
}
