// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunLoop
import BGRunManifest
import BGRunStore

extension Host {
    /// Listens where the manifest's tasks say, and nowhere else. A socket of the same place stays the same
    /// one. A place that cannot be listened on is said.
    func listenForTasks() {
        guard watchesPaths, ending != .afterOneRound else { return }
        let wanted = manifest.tasks.compactMap { task in
            task.listens.map { (task.declaration.identifier, $0) }
        }
        let places = Set(wanted.map(\.1.place))
        // First the others are given up: a new one may need their address.
        let kept = socketTriggers.filter { places.contains($0.value.socket.address.place) }
        socketTriggers.removeAll()
        for (identifier, address) in wanted {
            let old = kept.first { $0.value.socket.address.place == address.place }
            do {
                try old?.value.socket.change(to: address)
                if let old, old.key == identifier {
                    socketTriggers[identifier] = old.value
                } else {
                    old?.value.stop()
                    let socket = try old?.value.socket ?? ListeningSocket(address)
                    socketTriggers[identifier] = try trigger(identifier, socket)
                    say(.info, "Listening at \(address.place) for \(identifier)")
                }
            } catch {
                let reason = (error as? ListeningSocket.Failure)?.message ?? "\(error)"
                say(.error, "Nobody can connect to \(address.place) for \(identifier): \(reason)")
            }
        }
        lookForConnections()
    }

    private func trigger(
        _ identifier: String, _ socket: ListeningSocket
    ) throws(SystemFailure) -> SocketTrigger {
        try SocketTrigger(self, socket) { [unowned self] in
            guard engine.takesConnection(identifier, at: clock.now.wall) else { return }
            send(.submit(Submission(identifier: identifier, delay: .zero), ticket: nil))
        } rests: { [unowned self] length in
            let text =
                "The socket of \(identifier) rests for \(length.text): its task was submitted "
                + "\(TriggerLimit.burst) times within \(TriggerLimit.interval.text), and connections "
                + "are left; the handler must accept them"
            say(.warning, text)
            unsaved.append(
                .event(
                    EventLine(
                        at: clock.now, kind: "socket-rests", identifier: identifier, text: text)))
            saveAfterThisRound()
        }
    }

    /// Looks at the sockets of tasks that a connection would submit, and at no others.
    func lookForConnections() {
        for (identifier, trigger) in socketTriggers {
            trigger.look(engine.takesConnection(identifier, at: clock.now.wall))
        }
    }

    /// What an attempt of a task that is listened for is lent.
    func socket(for identifier: String) -> Int32? {
        guard let socket = socketTriggers[identifier]?.socket else { return nil }
        socket.makeBlocking()
        return socket.descriptor
    }
}
