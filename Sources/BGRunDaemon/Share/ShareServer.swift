// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunLoop
import CBGRunShims
import Glibc

/// The daemon's side of the room its hosts share: hears what they take and want, and grants by
/// `FairShareRule`.
///
/// Belongs to the loop's thread.
final class ShareServer {
    private let loop: EventLoop
    private var rule: FairShareRule<String>
    /// By the name of the host.
    private var sockets: [String: Int32] = [:]
    /// Since which elapsed instant an answer is waited for.
    private var asked: [String: Int64] = [:]
    private var timer: LoopTimer?

    /// A host answers in a moment; one that is stopped must not hold what the others could use.
    private static let patience: Int64 = 10_000_000_000

    init(_ loop: EventLoop, slots: Int) throws(SystemFailure) {
        self.loop = loop
        rule = FairShareRule(slots: slots)
        timer = try LoopTimer(loop) { [unowned self] in forfeit() }
    }

    deinit {
        for socket in sockets.values {
            loop.forget(socket)
            close(socket)
        }
    }

    /// Lets a host take part, and returns its end of the socket, which the caller closes.
    func join(_ host: String) throws(SystemFailure) -> Int32 {
        leave(host)
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        try SystemFailure.check("socketpair", socketpair(AF_UNIX, type, 0, &ends))
        let socket = ends[0]
        do throws(SystemFailure) {
            try loop.watch(socket) { [unowned self] _ in
                while let report = ShareReport.receive(from: socket) { take(report, from: host) }
                grant()
            }
        } catch {
            close(ends[0])
            close(ends[1])
            throw error
        }
        sockets[host] = socket
        return ends[1]
    }

    /// A host has ended: what it took is free.
    func leave(_ host: String) {
        guard let socket = sockets.removeValue(forKey: host) else { return }
        loop.forget(socket)
        close(socket)
        rule.remove(host)
        asked[host] = nil
        grant()
    }

    private func take(_ report: ShareReport, from host: String) {
        rule.report(
            host, running: Int(report.running), wantsMore: report.wantsMore,
            answers: Int(report.answers), at: bgrun_boottime_ns())
        if report.answers > 0 { asked[host] = nil }
    }

    private func grant() {
        while let (host, count) = rule.next(at: bgrun_boottime_ns()) {
            guard let socket = sockets[host] else { return rule.remove(host) }
            asked[host] = bgrun_boottime_ns()
            var message = Int32(clamping: count)
            // One that cannot be told is ending; its end frees what it was granted.
            _ = send(
                socket, &message, MemoryLayout<Int32>.size,
                Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
        timer?.set(elapsed: asked.values.min().map { $0 + Self.patience })
    }

    private func forfeit() {
        let limit = bgrun_boottime_ns() - Self.patience
        for (host, date) in asked where date <= limit {
            asked[host] = nil
            rule.forfeit(host)
        }
        grant()
    }
}
