// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import CBGRunShims
import FoundationEssentials

/// Connections that receive the app's state whenever it changes, at most five times a second. A connection
/// that does not read receives nothing until it has caught up, and then the newest state.
/// Belongs to the loop's thread.
final class Watchers {
    /// Sends a line; false if the peer has not read the previous one yet.
    typealias Send = ([UInt8]) -> Bool

    /// Nanoseconds between two overviews.
    private static let pause: Int64 = 200_000_000

    private let ask: (_ answer: @escaping (ControlResponse) -> Void) -> Void
    private var timer: LoopTimer?
    private var watching: [Int: Send] = [:]
    private var added = 0
    /// The connections that have missed a state.
    private var behind: Set<Int> = []
    private var sentAt: Int64 = bgrun_boottime_ns()
    private var isDue = false

    /// - Parameter ask: Requests an overview.
    init(
        _ loop: EventLoop, ask: @escaping (_ answer: @escaping (ControlResponse) -> Void) -> Void
    ) throws(SystemFailure) {
        self.ask = ask
        timer = try LoopTimer(loop) { [unowned self] in send() }
    }

    /// Returns the identifier of the caller.
    func add(_ send: @escaping Send) -> Int {
        added += 1
        watching[added] = send
        return added
    }

    func remove(_ caller: Int) {
        watching[caller] = nil
        behind.remove(caller)
    }

    func noteChange() {
        guard !watching.isEmpty, !isDue else { return }
        isDue = true
        // Even if the pause is over: all changes of this round are sent once, at its end.
        timer?.set(elapsed: sentAt + Self.pause)
    }

    /// This connection has received its last line.
    func caughtUp(_ caller: Int) { if behind.remove(caller) != nil { noteChange() } }

    private func send() {
        isDue = false
        guard !watching.isEmpty else { return }
        sentAt = bgrun_boottime_ns()
        ask { [weak self] response in
            guard let self, let data = try? JSONEncoder().encode(response) else { return }
            let line = [UInt8](data)
            for (caller, send) in watching where !send(line) { behind.insert(caller) }
            precondition(behind.allSatisfy { watching[$0] != nil }, "one that is gone")
        }
    }
}
