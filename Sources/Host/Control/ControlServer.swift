// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunManifest
import FoundationEssentials
import Glibc

/// The socket on which a host receives commands: from its own user and root, and queries from the members of a group,
/// if there is one. Belongs to the loop's thread.
package final class ControlServer {
    /// Handles a request and calls `answer` once, at any later time. `isHeard` returns whether the client is still
    /// connected.
    package typealias Handler = (
        ControlRequest, _ isHeard: @escaping () -> Bool,
        _ answer: @escaping (ControlResponse) -> Void
    ) -> Void

    private let loop: EventLoop
    private let isConfined: (PeerCredentials) -> Bool
    private let handler: Handler
    private let group: gid_t?
    private var server: LineServer?
    /// The connections that receive the app's state; nil before the first one asks for it.
    private var watchers: Watchers?

    /// Listens at `path`; replaces the socket of a dead host.
    /// - Parameters:
    ///   - group: Its members may query; the directory must let them pass. Nil: only this user and root may connect.
    ///   - isConfined: Whether a client is a process of a confined attempt, whose requests are refused.
    package init(
        _ loop: EventLoop, path: String, group: gid_t? = nil, limits: LineLimits = LineLimits(),
        handler: @escaping Handler,
        isConfined: @escaping (PeerCredentials) -> Bool = { _ in false }
    ) throws(SystemFailure) {
        self.loop = loop
        self.group = group
        self.isConfined = isConfined
        self.handler = handler
        let listener = try UnixListener.open(path, group: group)
        server = try LineServer(
            loop, listener, path: path, limits: limits,
            tooLong: { limit in
                Self.text(
                    ControlResponse(
                        "the request is longer than \(limit) bytes, the limit for this user; shorten the "
                            + "parameters, or send it as the user of the host"))
            },
            full: Self.text(ControlResponse { $0.problem = .tooManyConnections })
        ) { [unowned self] line, caller, answer in handle(line, of: caller, answer) }
    }

    /// The app's state has changed. Costs nothing while no connection watches it.
    package func noteChange() { watchers?.noteChange() }

    private func handle(
        _ line: [UInt8], of caller: LineCaller, _ answer: @escaping ([UInt8]) -> Void
    ) {
        let reply = { (response: ControlResponse) in answer(Array(Self.text(response).utf8)) }
        guard let request = try? JSONDecoder().decode(ControlRequest.self, text: line) else {
            return reply(
                ControlResponse("the request is not understood; use the same bgrun as the host"))
        }
        let access = ControlAccess.of(caller.peer, owner: geteuid(), group: group)
        if let refusal = access.refusal(of: request) { return reply(ControlResponse(refusal)) }
        if isConfined(caller) {
            return reply(
                ControlResponse(
                    "a confined handler cannot ask its host: use the plugin's functions"))
        }
        handler(request, { [weak caller] in caller.map { !$0.isGone } ?? false }, reply)
        if request.command == .watch { watch(caller) }
    }

    private func isConfined(_ caller: LineCaller) -> Bool {
        let isConfined = caller.isConfined ?? isConfined(caller.peer)
        caller.isConfined = isConfined
        return isConfined
    }

    private static func text(_ response: ControlResponse) -> String {
        guard let data = try? JSONEncoder().encode(response) else {
            // A problem has only text.
            return text(ControlResponse("the answer cannot be encoded"))
        }
        return String(decoding: data, as: UTF8.self)
    }

    private func watch(_ caller: LineCaller) {
        guard !caller.isLasting else { return }
        if watchers == nil {
            watchers = try? Watchers(loop) { [unowned self] answer in
                handler(ControlRequest(.watch), { true }, answer)
            }
        }
        guard let watchers else { return }
        caller.isLasting = true
        let number = watchers.add { [weak caller] line in caller?.push(line) ?? true }
        caller.caughtUp = { [weak watchers] in watchers?.caughtUp(number) }
        caller.closed = { [weak watchers] in watchers?.remove(number) }
    }
}
