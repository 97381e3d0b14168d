// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHost
import BGRunPolicy

/// Submits a task when a program connects to its socket. While the task runs or waits, the socket is not watched:
/// connections queue in it, and are noticed when it is watched again. Belongs to the loop's thread.
final class SocketTrigger {
    let socket: TriggerSocket
    private let loop: EventLoop
    private let clock: any HostClock
    private let connected: () -> Void
    /// Called when it starts to rest, with the length of the rest.
    private let rests: (Interval) -> Void
    private var limit = TriggerLimit()
    private var timer: (any HostTimer)?
    private var isWanted = false
    private var isResting = false
    private var isWatching = false

    init(
        _ loop: EventLoop, _ clock: any HostClock, _ socket: TriggerSocket,
        connected: @escaping () -> Void, rests: @escaping (Interval) -> Void
    ) throws(SystemFailure) {
        self.socket = socket
        self.connected = connected
        self.rests = rests
        self.loop = loop
        self.clock = clock
        timer = try clock.timer(loop) { [unowned self] in
            isResting = false
            update()
        }
    }

    deinit { stop() }

    /// Watches for a connection, or stops.
    func look(_ isWanted: Bool) {
        self.isWanted = isWanted
        update()
    }

    /// Releases the socket to another trigger.
    func stop() { look(false) }

    private func update() {
        let watches = isWanted && !isResting
        guard watches != isWatching else { return }
        isWatching = watches
        guard watches else { return loop.forget(socket.descriptor) }
        do throws(SystemFailure) {
            try loop.watch(socket.descriptor) { [unowned self] _ in hear() }
        } catch {
            isWatching = false
        }
    }

    private func hear() {
        // The connection stays queued, and would wake the loop until it is accepted.
        look(false)
        let elapsed = clock.now.elapsed
        switch limit.connection(at: elapsed) {
        case .submit:
            connected()
        case .rest(let end):
            isResting = true
            isWanted = true
            timer?.set(elapsed: end)
            rests(Interval(nanoseconds: end.saturatingSubtracting(elapsed)))
        }
    }
}
