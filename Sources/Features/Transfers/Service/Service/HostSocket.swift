// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunTransferIPC
import Glibc

/// The socket where hosts and commands connect to the service. The last stated conditions apply until that connection
/// ends. Belongs to the loop's thread. Only its user may access it and its directory.
final class HostSocket {
    private let loop: EventLoop
    private let path: String
    private let listener: Int32
    private let acceptor: Acceptor
    private let heard: (ServiceOrder) -> Void
    private let lostHost: () -> Void
    private var channels: [Int: LineChannel] = [:]
    private var lastNumber = 0
    private var host: Int?

    /// Connections of the service: a host, and commands of its user. A further one is closed.
    static let mostConnections = 64

    /// Listens at `path`; replaces the socket of a dead service.
    init(
        _ loop: EventLoop, path: String, heard: @escaping (ServiceOrder) -> Void,
        lostHost: @escaping () -> Void
    ) throws(SystemFailure) {
        self.loop = loop
        self.path = path
        self.heard = heard
        self.lostHost = lostHost
        listener = try UnixListener.open(path)
        acceptor = Acceptor(listener)
        try loop.watch(listener) { [unowned self] _ in accept() }
    }

    deinit {
        loop.forget(listener)
        close(listener)
        unlink(path)
    }

    func tell(_ notice: ServiceNotice) {
        guard !channels.isEmpty else { return }
        let line = notice.line
        for channel in channels.values {
            // Progress is sent again soon; a slow connection may miss it.
            if case .progress = notice, channel.backlog > 0 { continue }
            channel.send(line)
        }
    }

    private func accept() {
        acceptor.round { descriptor in
            guard channels.count < Self.mostConnections else {
                close(descriptor)
                return
            }
            lastNumber += 1
            let number = lastNumber
            channels[number] = try? LineChannel(
                loop, descriptor, heard: { [unowned self] line in hear(line, of: number) },
                closed: { [unowned self] in drop(number) })
            // Earlier changes were not sent to any connection.
            channels[number]?.send(ServiceNotice.changed([]).line)
        }
    }

    private func hear(_ line: ArraySlice<UInt8>, of number: Int) {
        guard let order = ServiceOrder(line: line) else { return }
        if case .conditions = order { host = number }
        heard(order)
    }

    private func drop(_ number: Int) {
        // The channel must not be released during its own call.
        let channel = channels.removeValue(forKey: number)
        loop.afterThisRound { withExtendedLifetime(channel) {} }
        guard host == number else { return }
        host = nil
        lostHost()
    }
}
