// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop

/// The descriptors of a simulated loop; the simulation sets their readiness.
package final class SimulatedPoller: LoopPoller {
    private struct Watched {
        var interest: EventLoop.Readiness
        var mark: UInt64
    }

    private var watched: [Int32: Watched] = [:]
    private var readiness: [Int32: EventLoop.Readiness] = [:]
    /// Called when the loop would block: only the simulation can continue it.
    package var idle: () -> Void = {}

    package init() {}

    package func add(
        _ descriptor: Int32, for interest: EventLoop.Readiness, mark: UInt64
    ) throws(SystemFailure) {
        guard watched[descriptor] == nil else { throw SystemFailure("epoll_ctl", code: 17) }
        watched[descriptor] = Watched(interest: interest, mark: mark)
    }

    package func change(_ descriptor: Int32, to interest: EventLoop.Readiness, mark: UInt64) {
        guard watched[descriptor] != nil else { return }
        watched[descriptor] = Watched(interest: interest, mark: mark)
    }

    package func remove(_ descriptor: Int32) {
        watched[descriptor] = nil
    }

    /// Sets the readiness of `descriptor` from now on.
    package func set(_ descriptor: Int32, ready: EventLoop.Readiness) {
        readiness[descriptor] = ready
    }

    package func wait(
        mayBlock: Bool, _ ready: (_ mark: UInt64, EventLoop.Readiness) -> Void
    ) {
        var found = self.ready
        if found.isEmpty, mayBlock {
            idle()
            found = self.ready
        }
        for (mark, readiness) in found { ready(mark, readiness) }
    }

    /// In the order of the descriptors, so that a seed always gives the same run.
    private var ready: [(UInt64, EventLoop.Readiness)] {
        guard !watched.isEmpty else { return [] }
        return watched.keys.sorted().compactMap { descriptor in
            guard let watch = watched[descriptor], let state = readiness[descriptor]
            else { return nil }
            let end: EventLoop.Readiness = state.contains(.hungUp) ? [.read, .hungUp] : []
            let ready = state.intersection(watch.interest).union(end)
            return ready.isEmpty ? nil : (watch.mark, ready)
        }
    }
}
