// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunStorage
import BGRunSystem
import BGRunTransferIPC
import Glibc

/// The location of an app's transfers, and their service.
struct TransferPlace: Equatable, Sendable {
    /// The `bgrun-transferd` executable; nil when it is missing.
    var executable: String?
    var state: StateDirectory

    /// Whether the app has ever had a transfer.
    var exists: Bool { access(state.transfers, F_OK) == 0 }
}

/// Starts the transfer service when it has work, communicates with it, and restarts it if it died. Belongs to the
/// loop's thread.
final class TransferServiceSupervisor {
    enum News {
        /// Connected to a service, which does not know the device yet.
        case connected
        case notice(ServiceNotice)
        /// It has ended or died.
        case gone
        /// Why it is missing.
        case problem(String)
    }

    private let loop: EventLoop
    private let place: TransferPlace
    private let heard: (News) -> Void
    /// Excludes a child process from those of attempts, and reports its end.
    private let addHelper: (pid_t, @escaping (_ status: Int32) -> Void) -> Void
    private var connection: ServiceConnection?
    private var connectedAt: Int64 = 0
    private var hasHeard = false
    private var child: ProcessHandle?
    private var watch: DirectoryWatch?
    private var isWanted = false
    /// Deaths in a row, and the date of the next start because of them.
    private var deaths = 0
    private var pausedUntil: Int64 = 0
    private var timer: LoopTimer?
    private var ended: (() -> Void)?

    /// A service that lived this long did not die of its start.
    private static let proof = Interval.seconds(30)
    private static let longestPause = Interval.minutes(1)

    init(
        _ loop: EventLoop, _ place: TransferPlace,
        addHelper: @escaping (pid_t, @escaping (_ status: Int32) -> Void) -> Void,
        heard: @escaping (News) -> Void
    ) throws(SystemFailure) {
        self.loop = loop
        self.place = place
        self.addHelper = addHelper
        self.heard = heard
        timer = try LoopTimer(loop) { [unowned self] in timeIsUp() }
    }

    var isConnected: Bool { connection != nil }

    /// Sends an order to a connected service; the wanted state of transfers is in the database anyway.
    func send(_ order: ServiceOrder) { connection?.send(order) }

    /// Sets whether there is work. Starts a service, or connects to a running one.
    func want(_ isWanted: Bool) {
        self.isWanted = isWanted
        guard isWanted, ended == nil else { return }
        connectOrStart()
    }

    /// Connects to a service that an earlier host has left running.
    func connectIfRunning() { _ = connect() }

    /// Stops the service in an orderly way; calls `done` once it has ended, or after `time`; at once
    /// without a connection.
    func stop(within time: Interval, done: @escaping () -> Void) {
        isWanted = false
        if connection == nil { child?.signal(SIGTERM) }
        guard connection != nil else { return done() }
        ended = done
        send(.stop)
        timer?.set(elapsed: SystemClock().now.elapsed.saturatingAdding(time.nanoseconds))
    }

    /// Starts a service that continues without this host, unless one is running. False if it cannot be started.
    func startForOthers() -> Bool {
        if connection == nil, child == nil, !connect() { start() }
        return connection != nil || child != nil
    }

    /// Lets the service continue on its own, or end without a wait.
    func leave() {
        isWanted = false
        connection = nil
        watch = nil
        let ended = ended
        self.ended = nil
        ended?()
    }

    private func childEnded(_ pid: pid_t, _ status: Int32) {
        guard pid == child?.pid else { return }
        child = nil
        let died = status != 0
        if died {
            pause()
            heard(.problem("The transfer service \(Self.words(status))\(lastWords())"))
        } else if connection == nil, isWanted, !hasHeard {
            // It found no work although this host does.
            pause()
        }
        if isWanted { connectOrStart() }
    }

    private func connectOrStart() {
        guard connection == nil, !connect() else { return }
        guard child == nil else { return }
        let now = SystemClock().now.elapsed
        guard now >= pausedUntil else {
            timer?.set(elapsed: pausedUntil)
            return
        }
        start()
    }

    private func connect() -> Bool {
        if connection != nil { return true }
        connection = try? ServiceConnection(
            loop, path: place.state.transferSocket,
            onNotice: { [unowned self] notice in
                hasHeard = true
                heard(.notice(notice))
            }, onClose: { [unowned self] in lost() })
        guard connection != nil else { return false }
        watch = nil
        connectedAt = SystemClock().now.elapsed
        hasHeard = false
        heard(.connected)
        return true
    }

    private func lost() {
        // The calling connection must not be released during its call.
        loop.afterThisRound { [weak self] in
            guard let self, connection != nil else { return }
            connection = nil
            if SystemClock().now.elapsed - connectedAt > Self.proof.nanoseconds { deaths = 0 }
            if let ended {
                self.ended = nil
                timer?.set(elapsed: nil)
                return ended()
            }
            heard(.gone)
        }
    }

    private func start() {
        guard let executable = place.executable else {
            isWanted = false
            return heard(
                .problem("bgrun-transferd is missing beside bgrun, so nothing is moved; install it")
            )
        }
        // `connect` has already tried the socket of a running service.
        watch = DirectoryWatch(loop, place.state.path) { [unowned self] in
            if isWanted { _ = connect() }
        }
        let log = open(place.state.serviceLog, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { if log >= 0 { close(log) } }
        do throws(SystemFailure) {
            let pid = try ServiceProcess.start(
                executable: executable, state: place.state.absolutePath,
                standardError: log >= 0 ? log : nil)
            addHelper(pid) { [weak self] status in self?.childEnded(pid, status) }
            child = ProcessHandle.child(pid)
            if child == nil { throw SystemFailure("starting \(executable)", code: errno) }
        } catch {
            pause()
            timer?.set(elapsed: pausedUntil)
            heard(.problem("The transfer service could not be started: \(error)"))
        }
    }

    /// The service is restarted at once after its first death, and after a delay from the second on.
    private func pause() {
        deaths += 1
        let doublings = min(max(0, deaths - 2), 10)
        let pause = min(Self.longestPause, Interval.seconds(1 << Int64(doublings)))
        pausedUntil = SystemClock().now.elapsed + (deaths == 1 ? 0 : pause.nanoseconds)
    }

    private func timeIsUp() {
        if let ended {
            self.ended = nil
            connection = nil
            ended()
        } else if isWanted {
            connectOrStart()
        }
    }

    private static func words(_ status: Int32) -> String {
        let signal = status & 0x7F
        return signal == 0
            ? "ended with status \(status >> 8 & 0xFF)"
            : "was ended by \(SignalName.of(signal))"
    }

    /// The last line that it wrote.
    private func lastWords() -> String {
        let descriptor = open(place.state.serviceLog, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let size = lseek(descriptor, 0, SEEK_END)
        let count = pread(descriptor, &bytes, bytes.count, max(0, size - bytes.count))
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        return text.split(separator: "\n").last.map { ": \($0)" } ?? ""
    }
}
