// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import Glibc

/// Listens, and keeps `bgrun-gateway` running, which speaks HTTP with the clients: this process parses no
/// byte of a network. Belongs to the loop's thread.
package final class HTTPGateway {
    package typealias Answerer = (HTTPResponse) -> Void
    package typealias Handler = (HTTPRequest, @escaping Answerer) -> Void

    /// The maximum number of unanswered requests; more are refused.
    static let mostOpen = 64

    /// The port it listens on; 0 for a UNIX socket.
    package let port: UInt16
    private let listener: Int32
    private let unixPath: String?
    private let settings: GatewaySettings
    private let handler: Handler
    private let note: (String?) -> Void
    private var gateway: ChildProgram?
    private var open: Set<Int64> = []

    /// Listens at `address`. A UNIX socket is accessible to its user only (0600), and replaces that of a
    /// dead server.
    /// - Parameters:
    ///   - executable: `bgrun-gateway`.
    ///   - started: See `ChildProgram.Program`.
    ///   - note: Receives the reason why clients are not served; nil: they are.
    ///   - handler: Answers a request once.
    package init(
        _ loop: EventLoop, _ address: ListenAddress, _ settings: GatewaySettings,
        executable: String, started: ((pid_t) -> Void)? = nil,
        note: @escaping (String?) -> Void, handler: @escaping Handler
    ) throws(SystemFailure) {
        self.note = note
        self.settings = settings
        self.handler = handler
        if case .unix(let path) = address { unixPath = path } else { unixPath = nil }
        listener = try ListeningSocket.open(address)
        port = ListeningSocket.port(of: listener)
        var program = ChildProgram.Program(
            executable, listener: listener, longestLine: GatewayLine.longestQuestion,
            started: started)
        // Refusals of too long requests need little space.
        program.backlog = GatewayLine.longestAnswer + (1 << 20)
        program.endsWithSocket = true
        gateway = try ChildProgram(
            loop, program,
            began: { [unowned self] in gateway?.send(GatewayLine.encode(settings)) },
            taken: { [unowned self] in take($0) },
            lost: { [unowned self] reason, _ in
                open = []
                note(reason)
            })
        gateway?.start()
    }

    deinit {
        // Frees the address although the program has not ended yet.
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        if let unixPath { unlink(unixPath) }
    }

    /// False if the line is invalid.
    private func take(_ line: [UInt8]) -> Bool {
        guard let question = GatewayLine.decode(GatewayQuestion.self, line) else { return false }
        guard let number = question.number else {
            gateway?.isWorking()
            note(nil)
            return true
        }
        guard open.count < Self.mostOpen else {
            answer(number, settings.unanswered(question.request, because: "too many requests wait"))
            return true
        }
        guard open.insert(number).inserted else { return false }
        let generation = gateway?.generation
        handler(question.request) { [weak self] response in
            // A later process numbers its requests anew.
            guard let self, gateway?.generation == generation else { return }
            guard open.remove(number) != nil else { return }
            answer(number, response)
        }
        return true
    }

    private func answer(_ number: Int64, _ response: HTTPResponse) {
        var line = GatewayLine.encode(GatewayAnswer(number, response))
        if line.count > GatewayLine.longestAnswer - (gateway?.backlog ?? 0) {
            let refusal = HTTPRefusal(503, "the answer is too long, or others are being sent")
            line = GatewayLine.encode(GatewayAnswer(number, HTTPResponse(refusal)))
        }
        gateway?.send(line)
    }
}
