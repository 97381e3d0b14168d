// SPDX-License-Identifier: Apache-2.0

import CBGRunShims
import Glibc

/// Serves a UNIX socket: each line is a request, each answer a line, in the order of the requests.
///
/// Limits the resources of a peer: connections, bytes of a request, requests per round, unread answers,
/// and time. Stops reading from a peer that does not read its answers, and serves the others. Users other
/// than the owner and root share a fixed part of the loop's time. Belongs to the loop's thread.
package final class LineServer {
    /// Handles a request; `answer` may be called once, at any later time, with a line without its
    /// newline.
    package typealias Handler = (
        _ line: [UInt8], _ caller: LineCaller, _ answer: @escaping ([UInt8]) -> Void
    ) -> Void

    private let loop: EventLoop
    private let path: String
    private let limits: LineLimits
    private let listener: Int32
    private let acceptor: Acceptor
    private let isOwner: (PeerCredentials) -> Bool
    private let handler: Handler
    private let tooLong: (Int) -> String
    private let full: String
    private var callers: [Int32: LineCaller] = [:]
    /// Callers with work for a later round.
    private var due: Set<Int32> = []
    private var dueTimer: LoopTimer?
    private var sweepTimer: LoopTimer?
    private var isSweepSet = false
    /// Users other than the owner are not served before this instant.
    private var othersFrom: Int64 = 0

    /// - Parameters:
    ///   - listener: Listens at `path` without blocking; closed, and the path removed, with this object.
    ///   - isOwner: Whether a peer is the user of the socket, or root.
    ///   - tooLong: The answer to a line above the given limit, in bytes; the connection ends after it.
    ///   - full: The line that a connection above the limits receives before it ends.
    package init(
        _ loop: EventLoop, _ listener: Int32, path: String, limits: LineLimits,
        isOwner: @escaping (PeerCredentials) -> Bool = \.isOwner,
        tooLong: @escaping (Int) -> String, full: String,
        handler: @escaping Handler
    ) throws(SystemFailure) {
        self.loop = loop
        self.path = path
        self.limits = limits
        self.listener = listener
        self.isOwner = isOwner
        self.handler = handler
        self.tooLong = tooLong
        self.full = full
        acceptor = Acceptor(listener)
        dueTimer = try LoopTimer(loop) { [unowned self] in serveDue() }
        sweepTimer = try LoopTimer(loop) { [unowned self] in sweep() }
        try loop.watch(listener) { [unowned self] _ in accept() }
    }

    deinit {
        for descriptor in callers.keys {
            loop.forget(descriptor)
            close(descriptor)
        }
        loop.forget(listener)
        close(listener)
        unlink(path)
    }

    /// Sends an unsolicited line; false if the caller has not read the previous one, or has
    /// disconnected.
    func push(_ line: [UInt8], to caller: LineCaller) -> Bool {
        guard isHere(caller), caller.output.isEmpty else { return false }
        caller.output.append(line)
        flush(caller)
        return true
    }

    private func isHere(_ caller: LineCaller) -> Bool { callers[caller.descriptor] === caller }

    // MARK: connections

    private func accept() {
        acceptor.round { descriptor in
            guard let peer = PeerCredentials(of: descriptor), hasPlace(for: peer) else {
                let line = Array(full.utf8) + [UInt8(ascii: "\n")]
                _ = send(descriptor, line, line.count, Int32(MSG_NOSIGNAL))
                close(descriptor)
                return
            }
            let caller = LineCaller(
                descriptor, peer, isOwner: isOwner(peer), self, at: bgrun_boottime_ns())
            do throws(SystemFailure) {
                try loop.watch(descriptor) { [unowned self, unowned caller] in
                    serve(caller, $0)
                }
                callers[descriptor] = caller
                setSweep()
            } catch {
                close(descriptor)
            }
        }
    }

    private func hasPlace(for peer: PeerCredentials) -> Bool {
        let others = callers.values.filter { !$0.isOwner }
        guard !isOwner(peer) else { return callers.count - others.count < limits.connections }
        return others.count < limits.connectionsOfOthers
            && others.count { $0.peer.user == peer.user } < limits.connectionsOfOneUser
    }

    private func drop(_ caller: LineCaller) {
        guard isHere(caller) else { return }
        loop.forget(caller.descriptor)
        callers[caller.descriptor] = nil
        due.remove(caller.descriptor)
        close(caller.descriptor)
        caller.closed?()
    }

    // MARK: requests

    private func serve(_ caller: LineCaller, _ readiness: EventLoop.Readiness) {
        guard isHere(caller) else { return }
        if readiness.contains(.write) { flush(caller) }
        guard readiness.contains(.read), isHere(caller) else { return }
        guard caller.isRead else {
            // Without a hang-up, the event is from before the loop stopped polling for it.
            return readiness.contains(.hungUp) ? hangUp(caller) : ()
        }
        read(caller)
        pump(caller, hasRead: true)
    }

    /// Stops sending; received requests are still processed in order.
    private func hangUp(_ caller: LineCaller) {
        caller.hasHungUp = true
        caller.output.removeAll()
        loop.forget(caller.descriptor)
        serveLater(caller)
    }

    private func read(_ caller: LineCaller) {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(caller.descriptor, &chunk, chunk.count)
        if count > 0 { return caller.input.append(chunk[..<count]) }
        if count < 0, errno == EINTR { return }
        // Does not wait for a caller that cannot receive answers: everything it sent has been read.
        let isWaitedFor = count < 0 && errno == EAGAIN && !caller.hasHungUp
        caller.isDone = !isWaitedFor
    }

    /// Processes received lines, within the limits. A call without any read or request must not charge
    /// time to other users, or an idle connection would be polled again and again.
    private func pump(_ caller: LineCaller, hasRead: Bool = false) {
        let start = bgrun_boottime_ns()
        guard caller.isOwner || start >= othersFrom else {
            serveLater(caller)
            return attend(caller)
        }
        let requests = caller.requests
        caller.isPumped = true
        take(caller)
        caller.isPumped = false
        if !caller.isOwner, hasRead || caller.requests > requests {
            let now = bgrun_boottime_ns()
            othersFrom = now + (now - start) * (100 / limits.percentOfOthers - 1)
        }
        guard isHere(caller) else { return }
        // A watcher is only polled for disconnection.
        if caller.isDone, caller.isLasting || caller.answers.isEmpty && caller.output.isEmpty {
            return drop(caller)
        }
        attend(caller)
    }

    private func take(_ caller: LineCaller) {
        var rest = limits.requestsPerRound
        while isHere(caller), isFree(caller) {
            guard rest > 0 else { return serveLater(caller) }
            if let line = caller.input.next() {
                rest -= 1
                take(line, from: caller)
            } else if caller.input.count > limits.longestLine(isOwner: caller.isOwner) {
                caller.isDone = true
                caller.input = LineInput()
                let limit = limits.longestLine(isOwner: caller.isOwner)
                caller.answers.append(Array(tooLong(limit).utf8))
                answer(caller)
            } else if caller.hasHungUp, !caller.isDone {
                rest -= 1
                read(caller)
            } else {
                return
            }
        }
    }

    private func take(_ line: [UInt8], from caller: LineCaller) {
        precondition(caller.answers.count < limits.openRequests, "too many requests are open")
        let number = caller.requests
        caller.answers.append(nil)
        caller.activeAt = bgrun_boottime_ns()
        handler(line, caller) { [weak self, weak caller] answer in
            guard let self, let caller, isHere(caller) else { return }
            let index = number - caller.answered
            precondition(
                caller.answers.indices.contains(index) && caller.answers[index] == nil,
                "request \(number) was answered twice")
            caller.answers[index] = answer
            self.answer(caller)
        }
    }

    /// Whether another request of it may be accepted.
    private func isFree(_ caller: LineCaller) -> Bool {
        caller.answers.count < limits.openRequests && caller.output.count <= limits.unread
    }

    // MARK: answers

    /// Sends the next answers in order.
    private func answer(_ caller: LineCaller) {
        while let answer = caller.answers.first.flatMap(\.self) {
            caller.answers.removeFirst()
            caller.answered += 1
            if !caller.hasHungUp { caller.output.append(answer) }
        }
        caller.activeAt = bgrun_boottime_ns()
        setSweep()
        flush(caller)
    }

    private func flush(_ caller: LineCaller) {
        guard caller.output.send(to: caller.descriptor) else { return hangUp(caller) }
        if caller.output.isEmpty { caller.caughtUp?() }
        guard isHere(caller), !caller.isPumped else { return }
        if caller.input.count > 0 || caller.isDone || caller.hasHungUp { serveLater(caller) }
        attend(caller)
    }

    /// Polls for the events that the caller may cause next.
    private func attend(_ caller: LineCaller) {
        guard !caller.hasHungUp else { return }
        let isTurn = caller.isOwner || bgrun_boottime_ns() >= othersFrom
        if !isTurn { serveLater(caller) }
        // Accepts waiting requests before it reads more, so that the input is bounded.
        caller.isRead = isFree(caller) && !caller.isDone && !due.contains(caller.descriptor)
        var interest: EventLoop.Readiness = caller.isRead ? .read : []
        if !caller.output.isEmpty { interest.insert(.write) }
        loop.change(caller.descriptor, to: interest)
    }

    private func serveLater(_ caller: LineCaller) {
        due.insert(caller.descriptor)
        setDue()
    }

    private func setDue() {
        let hasOwner = due.contains { callers[$0]?.isOwner ?? true }
        dueTimer?.set(elapsed: due.isEmpty ? nil : hasOwner ? 1 : max(1, othersFrom))
    }

    private func serveDue() {
        let now = due
        due = []
        for descriptor in now { if let caller = callers[descriptor] { pump(caller) } }
        setDue()
    }

    // MARK: time

    private func setSweep() {
        guard !isSweepSet, !callers.isEmpty else { return }
        isSweepSet = true
        sweepTimer?.set(elapsed: bgrun_boottime_ns() + limits.shortest)
    }

    /// Disconnects callers that were idle, or have not read their answers, for too long.
    private func sweep() {
        isSweepSet = false
        let now = bgrun_boottime_ns()
        for caller in callers.values {
            guard let end = caller.end(limits) else { continue }
            if end <= now { drop(caller) } else { setSweep() }
        }
    }
}
