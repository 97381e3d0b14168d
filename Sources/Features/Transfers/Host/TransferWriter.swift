// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunStorage
import BGRunSystem

/// A host's writes to the transfers' database, in the order of the calls. If another program is
/// writing, they are retried later: the host's loop never waits for it. Belongs to the loop's thread.
final class TransferWriter {
    private let store: TransferStore
    private let failed: (StoreError) -> Void
    /// Each returns false while the database is busy.
    private var queue: [() -> Bool] = []
    private var timer: LoopTimer?
    private var pause = pauses.lowerBound
    private var busySince: Int64?
    private var waiters: [() -> Void] = []
    private var limit: LoopTimer?

    /// Nanoseconds between two tries.
    private static let pauses: ClosedRange<Int64> = 5_000_000...200_000_000
    /// The maximum number of waiting changes. Above it those of handlers are refused; the host's own are few.
    static let mostWaiting = 4_096
    /// Nanoseconds after which the delay is logged.
    private static let timeout: Int64 = 5_000_000_000

    init(
        _ loop: EventLoop, _ store: TransferStore, failed: @escaping (StoreError) -> Void
    ) throws(SystemFailure) {
        self.store = store
        self.failed = failed
        timer = try LoopTimer(loop) { [unowned self] in work() }
        limit = try LoopTimer(loop) { [unowned self] in release() }
    }

    var isIdle: Bool { queue.isEmpty }

    var isFull: Bool { queue.count >= Self.mostWaiting }

    /// Calls `body` now or later, and then `done`: with nil if it failed, after `failed`.
    func perform<Value>(
        _ body: @escaping (TransferStore) throws(StoreError) -> Value,
        done: @escaping (Value?) -> Void = { _ in }
    ) {
        queue.append { [unowned self] in
            do throws(StoreError) {
                done(try body(store))
            } catch {
                if case .busy = error { return false }
                failed(error)
                done(nil)
            }
            return true
        }
        if queue.count == 1 { work() }
    }

    /// Calls `body` once all writes are done, or on timeout.
    func whenIdle(within time: Interval, _ body: @escaping () -> Void) {
        guard !isIdle else { return body() }
        waiters.append(body)
        limit?.set(elapsed: SystemClock().now.elapsed.saturatingAdding(time.nanoseconds))
    }

    private func work() {
        while let next = queue.first {
            guard next() else { return tryLater() }
            precondition(!queue.isEmpty, "a change was completed twice")
            // A completion may add further writes at the end of the queue.
            queue.removeFirst()
            pause = Self.pauses.lowerBound
            busySince = nil
        }
        release()
    }

    private func tryLater() {
        let now = SystemClock().now.elapsed
        let since = busySince ?? now
        busySince = since
        let waited = now - since  // fits: our own clock
        if waited > Self.timeout { failed(.busy(path: store.path)) }
        timer?.set(elapsed: now + pause)
        pause = min(pause * 2, Self.pauses.upperBound)
    }

    private func release() {
        limit?.set(elapsed: nil)
        let waiters = waiters
        self.waiters = []
        for body in waiters { body() }
    }
}
