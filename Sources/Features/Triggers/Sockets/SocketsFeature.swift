// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHost
import BGRunManifest
import BGRunPolicy
import BGRunSupervisor

/// Listens on exactly the sockets of the manifest's tasks.
final class SocketsFeature: HostFeature {
    private unowned let host: Host
    /// By identifier of the task.
    private var triggers: [String: SocketTrigger] = [:]

    init(_ host: Host) { self.host = host }

    func start() { listen() }

    func manifestChanged(from old: Manifest) { listen() }

    /// Keeps an existing socket at the same address. Logs an address that cannot be used.
    private func listen() {
        let wanted = host.manifest.tasks.compactMap { task in
            task.listens.map { (task.declaration.identifier, $0) }
        }
        let places = Set(wanted.map(\.1.place))
        // Releases the others first: a new one may need their address.
        let kept = triggers.filter { places.contains($0.value.socket.address.place) }
        triggers.removeAll()
        for (identifier, address) in wanted {
            let old = kept.first { $0.value.socket.address.place == address.place }
            do {
                try old?.value.socket.change(to: address)
                if let old, old.key == identifier {
                    triggers[identifier] = old.value
                } else {
                    old?.value.stop()
                    let socket = try old?.value.socket ?? TriggerSocket(address)
                    triggers[identifier] = try trigger(identifier, socket)
                    host.say(.info, "Listening at \(address.place) for \(identifier)")
                }
            } catch {
                let reason = (error as? TriggerSocket.Failure)?.message ?? "\(error)"
                host.say(
                    .error, "Connections to \(address.place) for \(identifier) fail: \(reason)")
            }
        }
        afterRound()
    }

    private func trigger(
        _ identifier: String, _ socket: TriggerSocket
    ) throws(SystemFailure) -> SocketTrigger {
        try SocketTrigger(host.loop, host.clock, socket) { [unowned self] in
            guard host.engine.takesConnection(identifier, at: host.clock.now.wall) else { return }
            host.send(.submit(Submission(identifier: identifier, delay: .zero), ticket: nil))
        } rests: { [unowned self] length in
            let text =
                "The socket of \(identifier) rests for \(length.text): its task was submitted "
                + "\(TriggerLimit.burst) times within \(TriggerLimit.interval.text), and connections "
                + "are left; the handler must accept them"
            host.announce(.warning, "socket-rests", of: identifier, text)
        }
    }

    /// Watches exactly the sockets of tasks that a connection would submit.
    func afterRound() {
        for (identifier, trigger) in triggers {
            trigger.look(host.engine.takesConnection(identifier, at: host.clock.now.wall))
        }
    }

    /// Passes the socket to an attempt of its task.
    func complete(_ work: inout Work, for attempt: Attempt) {
        guard let socket = triggers[attempt.declaration]?.socket else { return }
        socket.makeBlocking()
        work.socket = socket.descriptor
    }

    var isBusy: Bool { !triggers.isEmpty }

    func close() { triggers.removeAll() }
}
