// SPDX-License-Identifier: Apache-2.0

/// One thread that waits for descriptors, timers and signals, and uses no time while none is ready.
///
/// Not thread-safe. Handlers run on the thread that calls `run`, one after the other.
package final class EventLoop {
    private let poller: any LoopPoller
    private var watches: [Int32: Watch] = [:]
    private var nextSerial: UInt32 = 0
    private var deferred: [() -> Void] = []
    /// The maximum amount of work that waits for the end of a round; beyond it, the round ends before the next
    /// handler.
    static let mostDeferred = 4_096
    /// The maximum amount of work that waits for a separate round. Long work waits once for each of its owners,
    /// such as a worker: more is a bug of bgrun, which ends the process.
    static let mostPostponed = 1 << 16
    /// Work that waits for a separate round.
    private var postponed: [() -> Void] = []
    private var isStopped = false
    /// Retained by its observers.
    weak var inotify: Inotify?

    private struct Watch {
        /// Distinguishes this watch from an earlier one of the same descriptor, whose event may still be in this
        /// round.
        let serial: UInt32
        var interest: Readiness
        let handler: (Readiness) -> Void
    }

    /// The events of a descriptor.
    package struct Readiness: OptionSet, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Bytes can be read, or the peer has disconnected.
        package static let read = Readiness(rawValue: 1)
        /// Bytes can be written.
        package static let write = Readiness(rawValue: 2)
        /// An exceptional event of a kernel file, such as a PSI trigger.
        package static let priority = Readiness(rawValue: 4)
        /// The peer has disconnected in both directions. Reported with `read`, regardless of the watch's interest.
        package static let hungUp = Readiness(rawValue: 8)
    }

    package convenience init() throws(SystemFailure) { self.init(try Epoll()) }

    /// A loop that gets its events from `poller`.
    package init(_ poller: any LoopPoller) { self.poller = poller }

    /// Calls `handler` whenever `descriptor` is ready for `interest`, until `forget`.
    package func watch(
        _ descriptor: Int32, for interest: Readiness = .read,
        _ handler: @escaping (Readiness) -> Void
    ) throws(SystemFailure) {
        try poller.add(descriptor, for: interest, mark: Self.mark(descriptor, nextSerial))
        watches[descriptor] = Watch(serial: nextSerial, interest: interest, handler: handler)
        nextSerial &+= 1
    }

    /// Whether it is watched: after `watch` and before `forget`.
    package func isWatched(_ descriptor: Int32) -> Bool { watches[descriptor] != nil }

    /// Changes the events that a watched descriptor waits for.
    package func change(_ descriptor: Int32, to interest: Readiness) {
        guard let watch = watches[descriptor], watch.interest != interest else { return }
        watches[descriptor]?.interest = interest
        poller.change(descriptor, to: interest, mark: Self.mark(descriptor, watch.serial))
    }

    /// Stops watching. Must come before the descriptor is closed.
    package func forget(_ descriptor: Int32) {
        guard watches.removeValue(forKey: descriptor) != nil else { return }
        poller.remove(descriptor)
    }

    /// Calls `work` once, after the handlers of this round and before the loop waits again.
    package func afterThisRound(_ work: @escaping () -> Void) { deferred.append(work) }

    /// Calls `work` once, in the next round, which begins immediately, after the handlers of events that are ready
    /// by then. For long work that is split into parts.
    package func inNextRound(_ work: @escaping () -> Void) {
        precondition(postponed.count < Self.mostPostponed, "too much work waits for the next round")
        postponed.append(work)
    }

    /// Runs until `stop` is called; may be run again after that.
    package func run() {
        defer { isStopped = false }
        while true {
            runDeferred()
            if isStopped { return }
            // Work that a handler of this round postpones waits for the next one.
            let postponedBefore = postponed
            postponed = []
            poller.wait(mayBlock: postponedBefore.isEmpty, dispatch)
            deferred += postponedBefore
        }
    }

    /// Makes `run` return after the handlers of this round.
    package func stop() { isStopped = true }

    private func runDeferred() {
        while !deferred.isEmpty {
            let work = deferred
            deferred.removeAll()
            for item in work { item() }
        }
    }

    private func dispatch(_ mark: UInt64, _ readiness: Readiness) {
        // No handler is running here: the remaining events count as another round.
        if deferred.count >= Self.mostDeferred { runDeferred() }
        let descriptor = Int32(truncatingIfNeeded: mark)
        guard let watch = watches[descriptor],
            watch.serial == UInt32(truncatingIfNeeded: mark >> 32)
        else { return }
        watch.handler(readiness)
    }

    private static func mark(_ descriptor: Int32, _ serial: UInt32) -> UInt64 {
        // fits: 32 bits
        UInt64(serial) << 32 | UInt64(UInt32(bitPattern: descriptor))
    }
}
