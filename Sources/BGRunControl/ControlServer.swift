// SPDX-License-Identifier: Apache-2.0

public import BGRunLoop
import CBGRunShims
import Foundation
import Glibc

/// The socket on which a host hears commands: its own user's and root's, and questions of the members
/// of a group, if there is one.
///
/// Belongs to the loop's thread.
public final class ControlServer {
    /// A request is answered by calling the closure once, at any later time.
    public typealias Handler = (ControlRequest, _ answer: @escaping (ControlResponse) -> Void) ->
        Void

    /// Longer lines are no requests.
    private static let longestLine = 2 << 20

    private let loop: EventLoop
    private let path: String
    private let listener: Int32
    private let acceptor: Acceptor
    private let handler: Handler
    private let group: gid_t?
    private var connections: [Int32: Connection] = [:]
    /// Those who are sent how the app stands, since the first one asked for it.
    private var watchers: Watchers?

    private final class Connection {
        let access: ControlAccess
        var input: [UInt8] = []
        var output: [UInt8] = []
        /// How much of `output` has been sent.
        var sent = 0

        init(_ access: ControlAccess) {
            self.access = access
        }
    }

    /// Listens at `path`; a socket that a dead host has left there is replaced.
    /// - Parameter group: Its members may ask; the directory must let them pass. Nil: only this user
    ///   and root are heard.
    public init(
        _ loop: EventLoop, path: String, group: gid_t? = nil, handler: @escaping Handler
    ) throws(SystemFailure) {
        self.loop = loop
        self.group = group
        self.path = path
        self.handler = handler
        listener = try UnixListener.open(path, group: group)
        acceptor = Acceptor(listener)
        try loop.watch(listener) { [unowned self] _ in accept() }
    }

    deinit {
        for descriptor in connections.keys {
            loop.forget(descriptor)
            close(descriptor)
        }
        loop.forget(listener)
        close(listener)
        unlink(path)
    }

    private func accept() {
        while let descriptor = acceptor.next() {
            let access = ControlPeer(of: descriptor).map {
                ControlAccess.of($0, owner: geteuid(), group: group)
            }
            connections[descriptor] = Connection(access ?? .nothing)
            do throws(SystemFailure) {
                try loop.watch(descriptor) { [unowned self] readiness in
                    serve(descriptor, readiness)
                }
            } catch {
                connections[descriptor] = nil
                close(descriptor)
            }
        }
    }

    /// How the app stands has changed. Costs nothing while nobody watches.
    public func noteChange() {
        watchers?.noteChange()
    }

    private func serve(_ descriptor: Int32, _ readiness: EventLoop.Readiness) {
        guard let connection = connections[descriptor] else { return }
        if readiness.contains(.write) { flush(descriptor, connection) }
        guard readiness.contains(.read) else { return }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = read(descriptor, &chunk, chunk.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0, connection.input.count + count <= Self.longestLine else {
            return drop(descriptor)
        }
        connection.input += chunk[..<count]
        while let end = connection.input.firstIndex(of: UInt8(ascii: "\n")) {
            let line = Data(connection.input[..<end])
            connection.input.removeFirst(end + 1)
            handle(line, of: descriptor, connection)
        }
    }

    private func handle(_ line: Data, of descriptor: Int32, _ connection: Connection) {
        let answer: (ControlResponse) -> Void = { [weak self, weak connection] response in
            guard let self, let connection, connections[descriptor] === connection else { return }
            guard let data = try? JSONEncoder().encode(response) else { return }
            connection.output += data + [UInt8(ascii: "\n")]
            flush(descriptor, connection)
        }
        do {
            let request = try JSONDecoder().decode(ControlRequest.self, from: line)
            if let refusal = connection.access.refusal(of: request.command) {
                answer(ControlResponse(refusal))
            } else {
                handler(request, answer)
                // Who has hung up meanwhile has left his descriptor's number to the next caller.
                if request.command == .watch, connections[descriptor] === connection {
                    try watch(descriptor)
                }
            }
        } catch {
            answer(ControlResponse("the request is not understood; use the same bgrun as the host"))
        }
    }

    private func watch(_ descriptor: Int32) throws(SystemFailure) {
        if watchers == nil {
            watchers = try Watchers(loop) { [unowned self] answer in
                handler(ControlRequest(.watch), answer)
            }
        }
        watchers?.add(descriptor) { [weak self] line in
            guard let self, let connection = connections[descriptor] else { return true }
            guard connection.output.isEmpty else { return false }
            connection.output = line
            flush(descriptor, connection)
            return true
        }
    }

    private func flush(_ descriptor: Int32, _ connection: Connection) {
        while connection.sent < connection.output.count {
            let count = connection.output[connection.sent...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0 {
                if errno == EINTR { continue }
                guard errno == EAGAIN else { return drop(descriptor) }
                return loop.change(descriptor, to: [.read, .write])
            }
            connection.sent += count
        }
        connection.output.removeAll()
        connection.sent = 0
        loop.change(descriptor, to: .read)
        watchers?.caughtUp(descriptor)
    }

    private func drop(_ descriptor: Int32) {
        loop.forget(descriptor)
        connections[descriptor] = nil
        watchers?.remove(descriptor)
        close(descriptor)
    }
}
