// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunStorage
import BGRunTransferIPC
import CBGRunShims
import Foundation
import Glibc

/// The state directory of an app, its transfer service as a process, and the test as its host.
///
/// Belongs to the thread of its test, which runs the loop while it waits for notices of the service. The
/// test fails if the awaited state does not come within a minute.
final class Box {
    let directory: String
    let state: StateDirectory
    let store: TransferStore
    let loop: EventLoop
    private(set) var process: pid_t = 0
    private var connection: ServiceConnection?
    private(set) var isLost = false
    private var timer: LoopTimer?
    private var isLate = false
    /// The last reported progress, by transfer.
    private(set) var told: [Int64: ServiceNotice.Progress] = [:]

    struct Trouble: Error, CustomStringConvertible {
        var description: String
    }

    /// - Parameter directory: Nil: a new directory, which is removed at the end.
    init() throws {
        var template = Array("/tmp/bgt-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemFailure("mkdtemp", code: errno) }
        directory = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        state = try StateDirectory(
            app: "app", override: directory + "/state", environment: [:], userID: geteuid())
        try state.create()
        store = try TransferStore.open(state.transfers)
        loop = try EventLoop()
        timer = try LoopTimer(loop) { [unowned self] in
            isLate = true
            loop.stop()
        }
    }

    deinit {
        if process > 0 { killService() }
        try? FileManager.default.removeItem(atPath: directory)
    }

    static let now = WallTime(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))

    /// The files of a directory, hidden ones included.
    func files(in path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    /// Writes the file of an upload; returns its path.
    func source(_ data: Data) throws -> String {
        let path = directory + "/source"
        try data.write(to: URL(fileURLWithPath: path))
        return path
    }

    // MARK: the service

    /// Starts the service and connects to it as a host.
    /// - Parameter limit: The maximum size in bytes of the service's files (RLIMIT_FSIZE).
    func start(
        _ conditions: TransferConditions? = .good, policy: TransferPolicy = TransferPolicy(),
        limit: Int? = nil
    ) throws {
        let log = open(directory + "/log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(log) }
        process = try ServiceProcess.start(
            executable: Built.service, state: state.path, standardError: log)
        if let limit { try setLimit(limit) }
        let watch = DirectoryWatch(loop, state.path) { [unowned self] in loop.stop() }
        isLost = false
        try run("the service's socket") {
            connection = try? ServiceConnection(
                loop, path: state.transferSocket,
                onNotice: { [unowned self] notice in hear(notice) },
                onClose: { [unowned self] in
                    isLost = true
                    loop.stop()
                })
            return connection != nil
        }
        withExtendedLifetime(watch) {}
        if let conditions { say(.conditions(conditions, policy)) }
    }

    /// - Parameter bytes: The maximum size of the service's files; nil: unlimited.
    func setLimit(_ bytes: Int?) throws {
        try limitService("fsize", bytes.map(String.init) ?? "unlimited", hard: "unlimited")
    }

    /// - Parameter count: The number of descriptors that the service may add; nil: 1,024 in total.
    func limitDescriptors(_ count: Int?) throws {
        let limit = count.map { files(in: "/proc/\(process)/fd").count + $0 } ?? 1_024
        try limitService("nofile", "\(limit)", hard: "")
    }

    private func limitService(_ resource: String, _ soft: String, hard: String) throws {
        let tool = Process()
        tool.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
        tool.arguments = ["--pid", "\(process)", "--\(resource)=\(soft):\(hard)"]
        try tool.run()
        tool.waitUntilExit()
        guard tool.terminationStatus == 0 else { throw Trouble(description: "prlimit failed") }
    }

    func say(_ order: ServiceOrder) {
        connection?.send(order)
    }

    func killService() {
        kill(process, SIGKILL)
        _ = reap()
    }

    /// Waits until the service has ended; returns its exit status.
    @discardableResult
    func reap() -> Int32 {
        connection = nil
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        process = 0
        return status >> 8 & 0xFF
    }

    /// Disconnects the host; the service continues to run.
    func hangUp() {
        connection = nil
    }

    private func hear(_ notice: ServiceNotice) {
        if case .progress(let progress) = notice {
            for item in progress { told[item.id] = item }
        }
        loop.stop()
    }

    // MARK: transfers

    @discardableResult
    func add(_ request: TransferRequest, wanted: Transfer.Wanted = .run) throws -> Int64 {
        let id = try store.add(request, wanted: wanted, at: Self.now)
        say(.look)
        return id
    }

    func want(_ wanted: Transfer.Wanted, _ id: Int64) throws {
        try store.want(wanted, of: id)
        say(.look)
    }

    func transfer(_ id: Int64) throws -> Transfer {
        guard let transfer = try store.transfer(id) else { throw Trouble(description: "no row") }
        return transfer
    }

    /// The hidden file beside the destination that stores the received bytes.
    func partial(of id: Int64) throws -> String {
        let transfer = try transfer(id)
        let file = transfer.request.file ?? ""
        let (directory, name) = (
            (file as NSString).deletingLastPathComponent, (file as NSString).lastPathComponent
        )
        let hash = state.app.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return String(format: "%@/.%@.bgrun-%lld-%08x.part", directory, name, id, hash)
    }

    /// Waits until the row satisfies `isSo`.
    @discardableResult
    func wait(_ id: Int64, until isSo: (Transfer) -> Bool) throws -> Transfer {
        var last = try transfer(id)
        try run("transfer \(id)", describe: { "\(last)" }) {
            last = try transfer(id)
            return isSo(last)
        }
        return last
    }

    func finish(_ id: Int64) throws -> Transfer {
        try wait(id) { $0.isFinished }
    }

    /// Waits until that many bytes were reported.
    func wait(_ id: Int64, bytes: Int64) throws {
        try run("\(bytes) bytes") { (told[id]?.bytes ?? 0) >= bytes }
    }

    /// Runs the loop until `isTime`, which is checked after each stop of the loop.
    func run(
        _ name: String, describe: () -> String = { "" }, until isTime: () throws -> Bool
    ) throws {
        isLate = false
        timer?.set(elapsed: bgrun_boottime_ns() + 60_000_000_000)
        defer { timer?.set(elapsed: nil) }
        while try !isTime() {
            guard !isLate, !isLost else {
                let log = (try? String(contentsOfFile: directory + "/log", encoding: .utf8)) ?? ""
                throw Trouble(
                    description: "waited for \(name); "
                        + (isLost ? "the service is gone" : "it did not come")
                        + " \(describe()) \(log)")
            }
            loop.run()
        }
    }
}

extension TransferConditions {
    static let good = TransferConditions(network: .yes, metered: .no, externalPower: .yes)
    static let metered = TransferConditions(network: .yes, metered: .yes, externalPower: .yes)
    static let battery = TransferConditions(network: .yes, metered: .no, externalPower: .no)
    static let offline = TransferConditions(network: .no, metered: .no, externalPower: .yes)
}

extension TransferRequest {
    static func download(_ url: String, to file: String? = nil) -> TransferRequest {
        var request = TransferRequest(session: "s", direction: .download, url: url, file: file)
        request.retry = Retry(from: .milliseconds(10), to: .milliseconds(100))
        return request
    }

    static func upload(_ file: String, to url: String) -> TransferRequest {
        var request = TransferRequest(session: "s", direction: .upload, url: url, file: file)
        request.retry = Retry(from: .milliseconds(10), to: .milliseconds(100))
        return request
    }
}

extension Data {
    /// Pseudorandom bytes.
    static func noise(_ count: Int, seed: UInt64 = 1) -> Data {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        var data = Data(count: count)
        data.withUnsafeMutableBytes { bytes in
            for place in bytes.indices {
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                bytes[place] = UInt8(truncatingIfNeeded: state)
            }
        }
        return data
    }
}
