// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunManifest
import BGRunPolicy
import BGRunSystem
import CBGRunShims
import FoundationEssentials
import Glibc

/// Keeps `bgrun-mqtt`, which speaks with the broker, at work, and takes in what it brings: one line of JSON
/// a message, answered by its number when it is on the disk or refused. Only then is it acknowledged to
/// the broker, so that every message comes at least once.
///
/// Belongs to the loop's thread.
final class MQTTBridge {
    /// Between two starts: doubled from the first to the second, and the first again after a while of work.
    private static let pauses: ClosedRange<Int64> = 1_000_000_000...60_000_000_000

    /// The delay before a deferred message is retried: doubled with each refusal.
    private static let retryPauses: ClosedRange<Int64> = 1_000_000_000...30_000_000_000

    private let sink: PushSink
    private let mqtt: PushSources.MQTT
    private let executable: String
    private let started: (Int32) -> Void
    private var timer: LoopTimer?
    /// Deferred messages, stored on disk and acknowledged; nil: no spool.
    private let spool: MQTTSpool?
    private var isEmptying = false
    /// The same, if the spool does not accept them: the broker waits for their acknowledgement.
    private var parked: [Message] = []
    private var parkTimer: LoopTimer?
    private var isRetrySet = false
    private var retryPause = retryPauses.lowerBound
    private var child: Child?
    private var pause = pauses.lowerBound
    private var state: PushSourceState

    private struct Child {
        let process: ProcessHandle
        var socket: Int32
        var lines = LineBuffer(limit: 4 * PushEnvelope.longest)
        var output: [UInt8] = []
    }

    /// What `bgrun-mqtt` says.
    private struct Message: Codable {
        /// Of a message; its answer repeats it.
        var number: Int64?
        var topic: String?
        /// In base 64: it may be anything. Left out when it is too long, and then `size` says how long.
        var payload: Data?
        var size: Int?
        /// Of the connection: nil with `isConnected` false.
        var problem: String?
        var isConnected: Bool?
        /// The arrival time of a spooled message, in milliseconds since 1970.
        var sent: Int64?

        func dated(_ now: WallTime) -> Message {
            var message = self
            message.sent = now.milliseconds
            return message
        }
    }

    /// - Parameters:
    ///   - executable: `bgrun-mqtt`.
    ///   - spool: The directory for deferred messages.
    ///   - started: Receives the id of the started process, which only this object starts.
    init(
        _ sink: PushSink, _ mqtt: PushSources.MQTT, executable: String, spool: String? = nil,
        started: @escaping (Int32) -> Void
    ) throws(SystemFailure) {
        self.sink = sink
        self.mqtt = mqtt
        self.executable = executable
        self.started = started
        self.spool = spool.flatMap(MQTTSpool.init)
        state = PushSourceState(
            source: "mqtt", place: mqtt.broker, problem: "not connected yet", since: sink.now())
        timer = try LoopTimer(sink.loop) { [unowned self] in start() }
        parkTimer = try LoopTimer(sink.loop) { [unowned self] in retry() }
        emptySpool()
        start()
    }

    deinit {
        guard let child else { return }
        sink.loop.forget(child.socket)
        // It ends when its socket is closed; one that waits for a broker needs the signal as well.
        close(child.socket)
        child.process.signal(SIGTERM)
    }

    // MARK: the process

    private func start() {
        do throws(SystemFailure) {
            try spawn()
        } catch {
            note("it could not be started: \(error)")
            startLater()
        }
    }

    private func spawn() throws(SystemFailure) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        try SystemFailure.check("socketpair", socketpair(AF_UNIX, type, 0, &ends))
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer {
            close(ends[1])
            close(null)
        }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        let arguments = CStrings([executable] + options)
        let environment = CStrings(CStrings.environment)
        let pid = withExtendedLifetime((arguments, environment)) {
            bgrun_spawn(
                executable, arguments.pointers, environment.pointers,
                [null, null, STDERR_FILENO, ends[1]], 4)
        }
        guard pid > 0 else {
            close(ends[0])
            throw SystemFailure("starting \(executable)", code: -pid)
        }
        started(pid)
        guard let process = ProcessHandle.child(pid) else {
            let code = errno
            close(ends[0])
            throw SystemFailure("starting \(executable)", code: code)
        }
        child = Child(process: process, socket: ends[0])
        try sink.loop.watch(ends[0]) { [unowned self] in serve($0) }
    }

    private var options: [String] {
        var words = ["--host", mqtt.host, "--port", "\(mqtt.port)"]
        words += ["--client", mqtt.clientID ?? "bgrun-\(sink.app)"]
        if mqtt.isTLS { words += ["--tls"] }
        if let ca = mqtt.ca { words += ["--ca", ca] }
        if let credentials = mqtt.credentials { words += ["--credentials", credentials] }
        return words + mqtt.topics.flatMap { ["--topic", $0] }
    }

    private func startLater() {
        timer?.set(elapsed: bgrun_boottime_ns() + pause)
        pause = min(pause * 2, Self.pauses.upperBound)
    }

    private func lost() {
        guard let child else { return }
        sink.loop.forget(child.socket)
        close(child.socket)
        child.process.signal(SIGKILL)
        self.child = nil
        parked = []
        if state.problem == nil { note("bgrun-mqtt has ended") }
        startLater()
    }

    // MARK: what it says

    private func serve(_ readiness: EventLoop.Readiness) {
        if readiness.contains(.write) { flush() }
        guard readiness.contains(.read), let socket = child?.socket else { return }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = read(socket, &chunk, chunk.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0, let lines = child?.lines.add(chunk[..<count]) else { return lost() }
        for line in lines { take(line) }
    }

    private func take(_ line: [UInt8]) {
        guard let message = try? JSONDecoder().decode(Message.self, text: line) else {
            return lost()
        }
        if let isConnected = message.isConnected {
            if isConnected { pause = Self.pauses.lowerBound }
            return note(isConnected ? nil : message.problem ?? "it is not connected")
        }
        // What came first goes first: a later one would take the place of an earlier one's.
        if parked.isEmpty, spool?.isEmpty ?? true { deliver(message) } else { park(message) }
    }

    /// Stores a message for later. Once it is on disk, it is acknowledged to the broker: while a
    /// message is unacknowledged, no keep-alive reaches the broker either, and the broker would
    /// redeliver everything.
    private func park(_ message: Message) {
        if parked.isEmpty, let number = message.number, let spool,
            let line = try? JSONEncoder().encode(message.dated(sink.now())), spool.add(line)
        {
            acknowledge(number)
        } else {
            parked.append(message)
        }
        retryLater()
    }

    private func retryLater() {
        guard !isRetrySet else { return }
        isRetrySet = true
        parkTimer?.set(elapsed: bgrun_boottime_ns() + retryPause)
        retryPause = min(retryPause * 2, Self.retryPauses.upperBound)
    }

    private func retry() {
        isRetrySet = false
        emptySpool()
        guard spool?.isEmpty ?? true else { return }
        let messages = parked
        parked = []
        for message in messages { deliver(message) }
    }

    /// Delivers the spooled messages in order, until one must wait longer.
    private func emptySpool() {
        guard let spool, !spool.isEmpty, !isEmptying else { return }
        guard let line = spool.first(),
            let message = try? JSONDecoder().decode(Message.self, text: line)
        else {
            spool.removeFirst()
            return emptySpool()
        }
        isEmptying = true
        hand(over: message) { [weak self] result in
            guard let self else { return }
            isEmptying = false
            if case .failure(let refusal) = result, refusal.isPassing {
                retryLater()
            } else {
                retryPause = Self.retryPauses.lowerBound
                spool.removeFirst()
                if spool.isEmpty { retry() } else { emptySpool() }
            }
        }
    }

    private func deliver(_ message: Message) {
        guard let number = message.number else { return }
        let process = child?.process
        hand(over: message) { [weak self] result in
            guard let self, child?.process === process else { return }
            guard case .failure(let refusal) = result, refusal.isPassing else {
                // What can never be taken is acknowledged too: the broker would bring it for ever.
                return acknowledge(number)
            }
            park(message)
        }
    }

    private func hand(over message: Message, _ answer: @escaping PushAnswerer) {
        let source = "the topic \(message.topic ?? "") of \(mqtt.broker)"
        let sent = message.sent.map { WallTime(milliseconds: $0) } ?? sink.now()
        sink.deliver(
            source,
            { () throws(PushRefusal) in
                guard let payload = message.payload else {
                    throw .payloadTooLarge(bytes: message.size ?? 0)
                }
                return try PushEnvelope.read([UInt8](payload), task: mqtt.task, sent: sent)
            }, answer)
    }

    private func acknowledge(_ number: Int64) {
        child?.output += Array("\(number)\n".utf8)
        flush()
    }

    private func flush() {
        while let output = child?.output, let socket = child?.socket, !output.isEmpty {
            let count = send(socket, output, output.count, Int32(MSG_NOSIGNAL))
            if count < 0, errno == EINTR { continue }
            if count < 0 {
                guard errno == EAGAIN else { return lost() }
                return sink.loop.change(socket, to: [.read, .write])
            }
            child?.output.removeFirst(count)
        }
        if let socket = child?.socket { sink.loop.change(socket, to: .read) }
    }

    private func note(_ problem: String?) {
        guard state.problem != problem else { return }
        // Since when it is unreachable does not begin anew with each reason.
        if (state.problem == nil) != (problem == nil) { state.since = sink.now().milliseconds }
        state.problem = problem
        sink.say(state)
    }
}
