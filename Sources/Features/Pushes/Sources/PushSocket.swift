// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunPolicy

/// A UNIX socket that accepts messages, one JSON object per line, and answers each with a line, in order, when it is on
/// the disk or refused. Only for its user and root. Belongs to the loop's thread.
final class PushSocket {
    private let sink: PushSink
    private let path: String
    private let task: String?
    private var server: LineServer?

    /// Listens at `path`; replaces the socket of a dead host.
    init(_ sink: PushSink, path: String, task: String?) throws(SystemFailure) {
        self.sink = sink
        self.path = path
        self.task = task
        var limits = LineLimits()
        limits.connections = 64
        limits.connectionsOfOthers = 0
        limits.longestLine = PushEnvelope.longest
        // A sender may stay idle for days.
        limits.idle = nil
        let tooLong = PushRefusal.malformed("a line has over \(PushEnvelope.longest) bytes")
        let listener = try UnixListener.listening { listener throws(SystemFailure) in
            try UnixListener.bind(listener, toFree: path)
        }
        server = try LineServer(
            sink.loop, listener, path: path, limits: limits,
            tooLong: { _ in PushAnswer(.failure(tooLong)).sortedJSON },
            full: PushAnswer(.failure(.unavailable)).sortedJSON
        ) { [unowned self] line, caller, answer in take(line, of: caller, answer) }
        sink.say(PushSourceState(source: "socket", place: path, problem: nil, since: sink.now()))
    }

    private func take(
        _ line: [UInt8], of caller: LineCaller, _ answer: @escaping ([UInt8]) -> Void
    ) {
        let isConfined = caller.isConfined ?? sink.isConfined(caller.peer)
        caller.isConfined = isConfined
        sink.deliver("the socket \(path)") { () throws(PushRefusal) in
            if isConfined { throw .fromHandler }
            return try PushEnvelope.read(line, task: task, sent: sink.now())
        } _: {
            answer(Array(PushAnswer($0).sortedJSON.utf8))
        }
    }
}
