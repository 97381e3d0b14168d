// SPDX-License-Identifier: Apache-2.0

import CBGRunShims
import Glibc

/// Reports ready descriptors to a loop: the kernel's poller, or a simulation in virtual time. Belongs to
/// the loop's thread. The same tests run against every implementation (LoopPortTests).
package protocol LoopPoller: AnyObject {
    /// Reports `descriptor` with `mark` from now on while it is ready for `interest`, and when its peer
    /// disconnects.
    func add(
        _ descriptor: Int32, for interest: EventLoop.Readiness, mark: UInt64
    ) throws(SystemFailure)
    /// Changes the events that a descriptor is reported for.
    func change(_ descriptor: Int32, to interest: EventLoop.Readiness, mark: UInt64)
    func remove(_ descriptor: Int32)
    /// Calls `ready` for each ready descriptor; if none is and `mayBlock`, waits until one is or the loop
    /// has other work.
    func wait(mayBlock: Bool, _ ready: (_ mark: UInt64, EventLoop.Readiness) -> Void)
}

/// The poller of the kernel.
final class Epoll: LoopPoller {
    private let epoll: Int32
    private var events = [epoll_event](repeating: epoll_event(), count: 64)

    init() throws(SystemFailure) {
        epoll = try SystemFailure.check("epoll_create1", epoll_create1(Int32(EPOLL_CLOEXEC)))
    }

    deinit { close(epoll) }

    func add(
        _ descriptor: Int32, for interest: EventLoop.Readiness, mark: UInt64
    ) throws(SystemFailure) {
        var event = Self.event(interest, mark)
        try SystemFailure.check("epoll_ctl", epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event))
    }

    func change(_ descriptor: Int32, to interest: EventLoop.Readiness, mark: UInt64) {
        var event = Self.event(interest, mark)
        epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event)
    }

    func remove(_ descriptor: Int32) { epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil) }

    func wait(mayBlock: Bool, _ ready: (_ mark: UInt64, EventLoop.Readiness) -> Void) {
        let count = epoll_wait(epoll, &events, Int32(events.count), mayBlock ? -1 : 0)
        for event in events[..<Int(max(0, count))] {
            ready(event.data.u64, Self.readiness(event.events))
        }
    }

    private static func readiness(_ bits: UInt32) -> EventLoop.Readiness {
        var readiness: EventLoop.Readiness = []
        if bits & (EPOLLIN.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 {
            readiness.insert(.read)
        }
        if bits & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { readiness.insert(.hungUp) }
        if bits & (EPOLLOUT.rawValue | EPOLLERR.rawValue) != 0 { readiness.insert(.write) }
        if bits & EPOLLPRI.rawValue != 0 { readiness.insert(.priority) }
        return readiness
    }

    private static func event(_ interest: EventLoop.Readiness, _ mark: UInt64) -> epoll_event {
        var event = epoll_event()
        if interest.contains(.read) { event.events |= EPOLLIN.rawValue }
        if interest.contains(.write) { event.events |= EPOLLOUT.rawValue }
        if interest.contains(.priority) { event.events |= EPOLLPRI.rawValue }
        event.data.u64 = mark
        return event
    }
}
