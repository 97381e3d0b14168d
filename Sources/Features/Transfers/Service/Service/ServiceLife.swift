// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunStorage
import BGRunTransferIPC
import CBGRunShims

/// The life of the service, from opening the database until there is no work left.
final class ServiceLife {
    private let loop: EventLoop
    private let directory: StateDirectory
    private var service: TransferService?
    private var socket: HostSocket?
    private var timer: LoopTimer?
    private var files: DirectoryWatch?
    /// Whether it waits for new work before it ends.
    private var isLingering = false

    /// Nanoseconds for which an idle service waits for new work.
    private static let linger: Int64 = 1_000_000_000

    init(_ loop: EventLoop, _ directory: StateDirectory) throws {
        self.loop = loop
        self.directory = directory
        let service = try TransferService(
            loop, directory, tell: { [unowned self] in socket?.tell($0) },
            finish: { [unowned self] in idle() })
        self.service = service
        timer = try LoopTimer(loop) { [unowned self] in lingered() }
        // A service of a removed database would keep commands from starting another one.
        files = DirectoryWatch(loop, directory.path, onlyLosses: true) {
            [unowned self] in self.service?.checkFiles()
        }
        try listen()
    }

    func end() {
        files = nil
        service?.stop()
        socket = nil
        service = nil
    }

    private func listen() throws(SystemFailure) {
        socket = try HostSocket(
            loop, path: directory.transferSocket,
            heard: { [unowned self] order in
                if order == .stop { loop.stop() } else { service?.hear(order) }
            }, lostHost: { [unowned self] in service?.loseHost() })
    }

    private func idle() {
        guard !isLingering else { return }
        isLingering = true
        timer?.set(elapsed: bgrun_boottime_ns() + Self.linger)
    }

    /// A process that adds a transfer from here on finds no listener, and starts another service; transfers added
    /// before are in the database.
    private func lingered() {
        isLingering = false
        guard let service, service.isIdle else { return }
        socket = nil
        service.lookNow()
        if service.isIdle { return loop.stop() }
        service.loseHost()
        // Without a socket no host can connect, and the transfers continue.
        try? listen()
    }
}
