// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunManifest
import BGRunPolicy
import CBGRunShims
import FoundationEssentials

/// Keeps `bgrun-mqtt`, the client of the broker, running, and processes its messages: one line of JSON each, answered
/// by number when it is on the disk or refused. Only then is a message acknowledged to the broker, so that every
/// message comes at least once. Belongs to the loop's thread.
final class MQTTBridge {
    /// The delay before a deferred message is retried: doubled with each refusal.
    private static let retryPauses: ClosedRange<Int64> = 1_000_000_000...30_000_000_000

    private let sink: PushSink
    private let mqtt: PushSources.MQTT
    /// Deferred messages, stored on disk and acknowledged; nil: no spool.
    private let spool: MQTTSpool?
    private var isEmptying = false
    /// The same, if the spool does not accept them: the broker waits for their acknowledgement.
    private var parked: [Message] = []
    private var parkTimer: LoopTimer?
    private var isRetrySet = false
    private var retryPause = retryPauses.lowerBound
    private var program: ChildProgram?
    private var state: PushSourceState
    private var connectionProblem: String? = "not connected yet"
    private var spoolProblem: String?

    /// A line from `bgrun-mqtt`.
    private struct Message: Codable {
        /// The number of a message; its answer repeats it.
        var number: Int64?
        var topic: String?
        /// In base 64, since it may contain any bytes. Omitted if it is too long; `size` then has its length.
        var payload: Data?
        var size: Int?
        /// The problem of the connection: nil with `isConnected` false.
        var problem: String?
        var isConnected: Bool?
        /// The arrival time of a spooled message.
        var sent: WallTime?
    }

    /// - Parameters:
    ///   - executable: `bgrun-mqtt`.
    ///   - spool: The directory for deferred messages.
    ///   - opener: Opens its files.
    ///   - started: Receives the id of the started process, which only this object starts.
    init(
        _ sink: PushSink, _ mqtt: PushSources.MQTT, executable: String, spool: String? = nil,
        opener: @escaping RegularFile.Opener = RegularFile.opener,
        started: @escaping (Int32) -> Void
    ) throws(SystemFailure) {
        self.sink = sink
        self.mqtt = mqtt
        self.spool = spool.flatMap { MQTTSpool($0, opener: opener) }
        state = PushSourceState(
            source: "mqtt", place: mqtt.broker, problem: connectionProblem, since: sink.now())
        parkTimer = try LoopTimer(sink.loop) { [unowned self] in retry() }
        program = try ChildProgram(
            sink.loop,
            ChildProgram.Program(
                executable, arguments: options, longestLine: 4 * PushEnvelope.longest,
                started: started),
            taken: { [unowned self] in take($0) },
            lost: { [unowned self] reason, hasRun in
                parked = []
                // The program has reported why it ends.
                if connectionProblem == nil || !hasRun { note(reason) }
            })
        emptySpool()
        program?.start()
    }

    private var options: [String] {
        var words = ["--host", mqtt.host, "--port", "\(mqtt.port)"]
        words += ["--client", mqtt.clientID ?? "bgrun-\(sink.app)"]
        if mqtt.isTLS { words += ["--tls"] }
        if let ca = mqtt.ca { words += ["--ca", ca] }
        if let credentials = mqtt.credentials { words += ["--credentials", credentials] }
        return words + mqtt.topics.flatMap { ["--topic", $0] }
    }

    /// False if the line is invalid.
    private func take(_ line: [UInt8]) -> Bool {
        guard let message = try? JSONDecoder().decode(Message.self, text: line) else {
            return false
        }
        if let isConnected = message.isConnected {
            if isConnected { program?.isWorking() }
            note(isConnected ? nil : message.problem ?? "it is not connected")
            return true
        }
        // What came first goes first: a later one would take the place of an earlier one's.
        if parked.isEmpty, spool?.isEmpty ?? true { deliver(message) } else { park(message) }
        return true
    }

    /// Stores a message for later. Once it is on disk, it is acknowledged to the broker: while a
    /// message is unacknowledged, no keep-alive reaches the broker either, and the broker would
    /// redeliver everything.
    private func park(_ message: Message) {
        var dated = message
        dated.sent = sink.now()
        if parked.isEmpty, let number = message.number, let spool,
            let line = try? JSONEncoder().encode(dated), spool.add(line)
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
        let line: Data
        let first = spool.first()
        note(spool: first)
        switch first {
        case .message(let data): line = data
        case .gone:
            spool.removeFirst()
            return resume(spool)
        case .unreadable(let reason):
            report("a deferred message cannot be read and is set aside: \(reason)")
            spool.setFirstAside()
            return resume(spool)
        case .later: return retryLater()
        }
        guard let message = try? JSONDecoder().decode(Message.self, text: line) else {
            report("a deferred message was damaged and is dropped")
            spool.removeFirst()
            return resume(spool)
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
                resume(spool)
            }
        }
    }

    /// Continues with the next spooled message, or with those that the spool did not accept.
    private func resume(_ spool: MQTTSpool) {
        if spool.isEmpty { retry() } else { emptySpool() }
    }

    private func report(_ problem: String) {
        sink.deliver(.failure(.malformed(problem)), "the spool of \(mqtt.broker)") { _ in }
    }

    private func deliver(_ message: Message) {
        guard let number = message.number else { return }
        let generation = program?.generation
        hand(over: message) { [weak self] result in
            guard let self, program?.generation == generation else { return }
            guard case .failure(let refusal) = result, refusal.isPassing else {
                // A message that can never be accepted is acknowledged, too: the broker would resend it for ever.
                return acknowledge(number)
            }
            park(message)
        }
    }

    private func hand(over message: Message, _ answer: @escaping PushAnswerer) {
        let source = "the topic \(message.topic ?? "") of \(mqtt.broker)"
        let sent = message.sent ?? sink.now()
        sink.deliver(
            source,
            { () throws(PushRefusal) in
                guard let payload = message.payload else {
                    throw .payloadTooLarge(bytes: message.size ?? 0)
                }
                return try PushEnvelope.read([UInt8](payload), task: mqtt.task, sent: sent)
            }, answer)
    }

    private func acknowledge(_ number: Int64) { program?.send(Array("\(number)\n".utf8)) }

    private func note(_ problem: String?) {
        connectionProblem = problem
        say()
    }

    private func note(spool first: MQTTSpool.First) {
        spoolProblem =
            if case .later(let reason) = first {
                "a deferred message cannot be read: \(reason)"
            } else {
                nil
            }
        say()
    }

    private func say() {
        let problem = spoolProblem ?? connectionProblem
        guard state.problem != problem else { return }
        // The start of an outage does not change with its reason.
        if (state.problem == nil) != (problem == nil) { state.since = sink.now() }
        state.problem = problem
        sink.say(state)
    }
}
