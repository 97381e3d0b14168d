// SPDX-License-Identifier: Apache-2.0

import BGRunLoop
import CBGRunShims
import Foundation

/// Callers who are sent how the app stands whenever that changes, at most five times a second. One who
/// does not read is sent nothing until he has caught up, and then the newest.
///
/// Belongs to the loop's thread.
final class Watchers {
    /// Puts a line on its way; false when the one before is not gone yet.
    typealias Send = ([UInt8]) -> Bool

    /// Nanoseconds between two overviews.
    private static let pause: Int64 = 200_000_000

    private let ask: (_ answer: @escaping (ControlResponse) -> Void) -> Void
    private var timer: LoopTimer?
    private var watching: [Int32: Send] = [:]
    /// Those who have missed one.
    private var behind: Set<Int32> = []
    private var sentAt: Int64 = bgrun_boottime_ns()
    private var isDue = false

    /// - Parameter ask: Asks for an overview.
    init(
        _ loop: EventLoop, ask: @escaping (_ answer: @escaping (ControlResponse) -> Void) -> Void
    ) throws(SystemFailure) {
        self.ask = ask
        timer = try LoopTimer(loop) { [unowned self] in send() }
    }

    func add(_ descriptor: Int32, send: @escaping Send) {
        watching[descriptor] = send
    }

    func remove(_ descriptor: Int32) {
        watching[descriptor] = nil
        behind.remove(descriptor)
    }

    func noteChange() {
        guard !watching.isEmpty, !isDue else { return }
        isDue = true
        // Also when it is time: what changes in this round is sent once, at its end.
        timer?.set(elapsed: sentAt + Self.pause)
    }

    /// The last line for this one is gone.
    func caughtUp(_ descriptor: Int32) {
        if behind.remove(descriptor) != nil { noteChange() }
    }

    private func send() {
        isDue = false
        guard !watching.isEmpty else { return }
        sentAt = bgrun_boottime_ns()
        ask { [weak self] response in
            guard let self, let data = try? JSONEncoder().encode(response) else { return }
            let line = [UInt8](data) + [UInt8(ascii: "\n")]
            for (descriptor, send) in watching where !send(line) { behind.insert(descriptor) }
        }
    }
}
