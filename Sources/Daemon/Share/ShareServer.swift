// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import CBGRunShims
import Glibc

/// The daemon's side of the shared slots: reads the hosts' used and wanted slots, and grants by `FairShareRule`.
///
/// Belongs to the loop's thread.
final class ShareServer {
    private let loop: EventLoop
    private var rule: FairShareRule<String>
    /// By the name of the host.
    private var sockets: [String: Int32] = [:]
    /// The unanswered grants.
    private var open: [String: ShareGrant] = [:]
    private var lastNumber: Int32 = 0
    private var lastPing: Int32 = 0
    private var timer: LoopTimer?
    private var resumeTimer: LoopTimer?
    /// By the name of the host.
    private var intakes: [String: Intake] = [:]
    private let timeouts: Timeouts
    private let heard: (_ host: String) -> Void

    /// Nanoseconds.
    struct Timeouts {
        /// A host answers quickly; a stopped one must not hold slots that others could use.
        var answer: Int64 = 10_000_000_000
        /// A launch just before the deadline is reported soon after it.
        var tolerance: Int64 = 1_000_000_000
        /// The interval of `mostReports`.
        var intake: Int64 = 10_000_000
    }

    /// The reports of a host in an interval.
    private struct Intake {
        let start: Int64
        var count = 0
        var isFull: Bool { count >= ShareServer.mostReports }
    }

    /// The maximum number of reports read from one host in an interval: later ones stay in its socket. After a
    /// hang-up, all are read.
    static let mostReports = 64

    /// - Parameter heard: Called after each report of a host, which proves that it is alive.
    init(
        _ loop: EventLoop, slots: Int, policy: SharePolicy = SharePolicy(),
        timeouts: Timeouts = Timeouts(), heard: @escaping (_ host: String) -> Void = { _ in }
    ) throws(SystemFailure) {
        self.loop = loop
        self.timeouts = timeouts
        self.heard = heard
        rule = FairShareRule(slots: slots, policy: policy)
        timer = try LoopTimer(loop) { [unowned self] in forfeit() }
        resumeTimer = try LoopTimer(loop) { [unowned self] in resume() }
    }

    deinit {
        for socket in sockets.values {
            loop.forget(socket)
            close(socket)
        }
    }

    /// Admits a host, and returns its end of the socket, which the caller closes.
    func join(_ host: String) throws(SystemFailure) -> Int32 {
        leave(host)
        let (socket, theirs) = try ProgramStart.socketPair(SOCK_SEQPACKET)
        do throws(SystemFailure) {
            try loop.watch(socket) { [unowned self] in read(socket, of: host, $0) }
        } catch {
            close(socket)
            close(theirs)
            throw error
        }
        sockets[host] = socket
        return theirs
    }

    private func read(_ socket: Int32, of host: String, _ readiness: EventLoop.Readiness) {
        let now = bgrun_boottime_ns()
        var intake = intakes[host] ?? Intake(start: now)
        if now - intake.start >= timeouts.intake { intake = Intake(start: now) }
        let before = intake.count
        // A host may belong to another user: endless messages must not take all of the loop's time. One that has
        // hung up sends nothing more, and a paused watch would report it again and again.
        while !intake.isFull || readiness.contains(.hungUp),
            let report = ShareReport.receive(from: socket)
        {
            intake.count += 1
            take(report, from: host)
        }
        // An invalid packet, which ends the batch, counts too.
        if intake.count == before { intake.count += 1 }
        intakes[host] = intake
        grant()
        // It has closed its socket but still runs: nothing more comes, and its slots become free at its end.
        if Self.isClosed(socket) { return loop.forget(socket) }
        loop.change(socket, to: intake.isFull ? [] : .read)
        if intake.isFull { setResumeTimer() }
    }

    /// Reads again from hosts whose interval has passed.
    private func resume() {
        let now = bgrun_boottime_ns()
        for (host, intake) in intakes where now - intake.start >= timeouts.intake {
            intakes[host] = nil
            if let socket = sockets[host] { loop.change(socket, to: .read) }
        }
        setResumeTimer()
    }

    private func setResumeTimer() {
        let full = intakes.values.filter(\.isFull)
        resumeTimer?.set(elapsed: full.map { $0.start + timeouts.intake }.min())
    }

    private static func isClosed(_ socket: Int32) -> Bool {
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
    }

    /// A host has ended: frees its slots.
    func leave(_ host: String) {
        guard let socket = sockets.removeValue(forKey: host) else { return }
        loop.forget(socket)
        close(socket)
        rule.remove(host)
        open[host] = nil
        intakes[host] = nil
        grant()
    }

    /// Sends a ping to a host.
    func ping(_ host: String) {
        guard let socket = sockets[host] else { return }
        lastPing = lastPing == .max ? 1 : lastPing + 1
        _ = ShareOrder.ping(lastPing).send(over: socket)
    }

    private func take(_ report: ShareReport, from host: String) {
        heard(host)
        var answered = 0
        if let grant = open[host], grant.number == report.answers {
            answered = Int(grant.count)
            open[host] = nil
        }
        rule.report(
            host, running: Int(report.running), wantsMore: report.wantsMore, answers: answered,
            at: bgrun_boottime_ns())
    }

    private func grant() {
        let now = bgrun_boottime_ns()
        while let (host, count) = rule.next(at: now) {
            guard let socket = sockets[host] else { return rule.remove(host) }
            lastNumber = lastNumber == .max ? 1 : lastNumber + 1
            let grant = ShareGrant(
                number: lastNumber, count: Int32(clamping: count), deadline: now + timeouts.answer)
            precondition(grant.count > 0 && grant.deadline > now, "an empty grant of \(count)")
            open[host] = grant
            // A host that does not receive it is ending, which frees the slot; or it is stopped, and forfeits the
            // slot.
            _ = ShareOrder.grant(grant).send(over: socket)
        }
        // A reclaimed attempt whose slot was reassigned may free a slot immediately.
        guard !reclaim(at: now) else { return grant() }
        let dates = open.values.map { $0.deadline + timeouts.tolerance }
        timer?.set(elapsed: (dates + [rule.reclaimDate(after: now)].compactMap(\.self)).min())
    }

    /// Reclaims slots that others wait for; true if a slot may be free now.
    private func reclaim(at now: Int64) -> Bool {
        while let host = rule.reclaim(at: now) {
            guard let socket = sockets[host] else { continue }
            // A host that does not receive the message does not return the slot, and the slot is
            // reassigned.
            _ = ShareOrder.reclaim(1).send(over: socket)
        }
        return rule.hasFreeSlots
    }

    private func forfeit() {
        let now = bgrun_boottime_ns()
        for (host, grant) in open where grant.deadline + timeouts.tolerance <= now {
            open[host] = nil
            rule.forfeit(host, at: now)
        }
        grant()
    }
}
