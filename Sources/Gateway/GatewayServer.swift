// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHTTP
import CBGRunShims
import CMicroHTTPD
import Glibc

/// Accepts clients and lets libmicrohttpd communicate with them. Many or slow clients do not delay others,
/// and memory is bounded.
/// Belongs to the loop's thread, in which libmicrohttpd runs, too.
final class GatewayServer {
    /// The bytes of libmicrohttpd for each connection: the head of its request and of the answer.
    private static let memory = 32_768

    private let loop: EventLoop
    private let settings: GatewaySettings
    private let ask: (GatewayQuestion) -> Void
    private let acceptor: Acceptor
    private var slots: ConnectionSlots
    private var daemon: OpaquePointer?
    private var timer: LoopTimer?
    /// The due time of the timer.
    private var due = Int64.max
    private var clients: [Int64: Client] = [:]
    private var last: Int64 = 0
    /// Clients whose connections libmicrohttpd has not reported yet, by their descriptors: version 1.0
    /// reports them in its next run.
    private var added: [Int32: Client] = [:]
    private var isPostponed = false

    /// - Parameter ask: Receives the questions for the server.
    init(
        _ loop: EventLoop, _ listener: Int32, _ settings: GatewaySettings,
        ask: @escaping (GatewayQuestion) -> Void
    ) throws(SystemFailure) {
        self.loop = loop
        self.settings = settings
        self.ask = ask
        acceptor = Acceptor(listener)
        slots = ConnectionSlots(
            settings.connections, ofOneAddress: settings.connectionsOfOneAddress)
        timer = try LoopTimer(loop) { [unowned self] in endPhases() }
        guard let daemon = startDaemon() else {
            throw SystemFailure("starting libmicrohttpd", code: errno)
        }
        self.daemon = daemon
        try loop.watch(bgrun_mhd_descriptor(daemon)) { [unowned self] _ in run() }
        try loop.watch(listener) { [unowned self] readiness in
            // The server has closed the address.
            if readiness.contains(.hungUp) { exit(0) }
            accept()
        }
    }

    private func startDaemon() -> OpaquePointer? {
        bgrun_mhd_start(
            Self.memory, Unmanaged.passUnretained(self).toOpaque(),
            { context, connection, _, method, version, data, size, _ in
                guard let server = GatewayServer.of(context), let connection, let size,
                    let client = Client.of(connection)
                else { return .NO }
                let part = UnsafeRawBufferPointer(
                    start: data, count: data == nil ? 0 : size.pointee)
                size.pointee = 0
                return server.handle(
                    client, connection, method.map { String(cString: $0) } ?? "",
                    version.map { String(cString: $0) } ?? "", part)
            },
            { _, target, connection in
                if let connection, let target {
                    Client.of(connection)?.target = String(cString: target)
                }
                return nil
            },
            { context, connection, slot, event in
                guard let server = GatewayServer.of(context), let slot, let connection else {
                    return
                }
                if event == .CONNECTION_NOTIFY_STARTED {
                    let descriptor = bgrun_mhd_socket(connection)
                    guard let client = server.added.removeValue(forKey: descriptor) else { return }
                    client.connection = connection
                    slot.pointee = Unmanaged.passRetained(client).toOpaque()
                } else if let client = slot.pointee {
                    slot.pointee = nil
                    server.closed(Unmanaged<Client>.fromOpaque(client).takeRetainedValue())
                }
            })
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> GatewayServer? {
        context.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: clients

    private func accept() {
        acceptor.round { descriptor in
            let address = PeerAddress(of: descriptor)
            guard slots.take(address) else {
                Client.send("503 Service Unavailable", "too many connections\n", to: descriptor)
                close(descriptor)
                return
            }
            let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
            guard copy >= 0 else {
                slots.give(address)
                close(descriptor)
                return
            }
            last += 1
            let client = Client(last, copy, address, settings)
            clients[last] = client
            added[descriptor] = client
            set(client, client.deadline)
            var name = sockaddr()
            let size = socklen_t(MemoryLayout<sockaddr>.size)
            // It closes the descriptor in every case.
            if MHD_add_connection(daemon, descriptor, &name, size) != .YES {
                added[descriptor] = nil
                end(client)
            }
        }
        run()
        for client in added.values { end(client) }
        added = [:]
    }

    private func closed(_ client: Client) {
        client.connection = nil
        guard !client.isRead else { return end(client) }
        shutdown(client.descriptor, Int32(SHUT_WR))
        client.phase = .draining(left: 1 << 20)
        guard client.discard() else { return end(client) }
        do throws(SystemFailure) {
            try loop.watch(client.descriptor) { [unowned self] _ in
                if !client.discard() { end(client) }
            }
            set(client, Client.time(after: settings.drainLimit ?? 500_000_000))
        } catch {
            end(client)
        }
    }

    private func end(_ client: Client) {
        guard clients.removeValue(forKey: client.number) != nil else { return }
        loop.forget(client.descriptor)
        slots.give(client.address)
    }

    // MARK: time

    private func set(_ client: Client, _ deadline: Int64) {
        client.deadline = deadline
        guard deadline < due else { return }
        due = deadline
        timer?.set(elapsed: due)
    }

    private func endPhases() {
        let now = bgrun_boottime_ns()
        due = .max
        for client in clients.values {
            guard client.deadline <= now else {
                set(client, client.deadline)
                continue
            }
            client.deadline = .max
            switch client.phase {
            case .head, .body:
                Client.send(
                    "408 Request Timeout", "the request took too long\n", to: client.descriptor)
                shutdown(client.descriptor, Int32(SHUT_RDWR))
            case .waiting: resume(client, settings.unanswered(client.request))
            case .sending: shutdown(client.descriptor, Int32(SHUT_RDWR))
            case .draining: end(client)
            }
        }
        run()
    }

    // MARK: requests

    /// Called by libmicrohttpd: with the head, with each part of the body, at its end, and once the answer is
    /// available.
    private func handle(
        _ client: Client, _ connection: OpaquePointer, _ method: String, _ version: String,
        _ part: UnsafeRawBufferPointer
    ) -> MHD_Result {
        switch client.phase {
        case .head:
            do throws(HTTPRefusal) {
                return try begin(client, connection, method, version)
            } catch {
                return queue(HTTPResponse(error), client, connection)
            }
        case .body where !part.isEmpty:
            client.request.body += part
            set(client, min(client.end, Client.time(after: settings.pauseLimit)))
        case .body:
            client.isRead = true
            wait(client, connection)
        case .waiting:
            guard let response = client.response else { return .NO }
            return queue(response, client, connection)
        case .sending, .draining: break
        }
        return .YES
    }

    private func begin(
        _ client: Client, _ connection: OpaquePointer, _ method: String, _ version: String
    ) throws(HTTPRefusal) -> MHD_Result {
        client.isRead =
            Client.header("Content-Length", connection) == nil
            && Client.header("Transfer-Encoding", connection) == nil
        if let refusal = settings.earlyRefusal(
            method, client.target, { Client.header($0, connection) })
        {
            return queue(refusal, client, connection)
        }
        client.request = try client.head(
            connection, method: method, version: version, settings.limits)
        let length = try HTTPHead.bodyLength(of: client.request, settings.limits)
        client.isRead = length == 0
        switch settings.decision(on: client.request) {
        case .admitted:
            client.phase = .body
            set(client, min(client.end, Client.time(after: settings.pauseLimit)))
        case .refused(let response): return queue(response, client, connection)
        case .refusedWithPage: wait(client, connection)
        }
        return .YES
    }

    /// Stops reading from the client until the server has answered.
    private func wait(_ client: Client, _ connection: OpaquePointer) {
        client.phase = .waiting
        set(client, Client.time(after: settings.answerLimit))
        MHD_suspend_connection(connection)
        ask(GatewayQuestion(client.number, client.request))
    }

    private func queue(
        _ response: HTTPResponse, _ client: Client, _ connection: OpaquePointer
    ) -> MHD_Result {
        set(client, Client.time(after: settings.takingLimit))
        return client.queue(response, connection)
    }

    /// Handles the server's answer; its client may have disconnected.
    func take(_ answer: GatewayAnswer) {
        guard let client = clients[answer.number], case .waiting = client.phase,
            client.response == nil
        else { return }
        resume(client, answer.response)
        run()
    }

    private func resume(_ client: Client, _ response: HTTPResponse) {
        client.response = response
        if let connection = client.connection { MHD_resume_connection(connection) }
    }

    /// Makes libmicrohttpd do all pending work.
    private func run() {
        MHD_run(daemon)
        var timeout: UInt64 = 0
        guard !isPostponed, MHD_get_timeout(daemon, &timeout) == .YES else { return }
        isPostponed = true
        loop.inNextRound { [unowned self] in
            isPostponed = false
            run()
        }
    }
}
