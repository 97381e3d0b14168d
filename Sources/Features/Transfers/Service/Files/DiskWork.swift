// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import Dispatch

/// Work that blocks on the disk or takes long, outside the loop's thread: syncing, digests, renaming.
///
/// The work of one transfer is done in order; several transfers run in parallel. Belongs to the loop's thread, which
/// receives the results.
struct DiskWork {
    private let work: BackgroundWork
    private let queues = (0..<4).map { DispatchQueue(label: "disk \($0)") }

    init(_ loop: EventLoop) throws(SystemFailure) { work = try BackgroundWork(loop) }

    /// Runs `work` on another thread, after earlier work for the same transfer, and calls `then` on the loop's thread.
    func run<Value: Sendable>(
        for id: Int64, _ work: @escaping @Sendable () -> Value,
        then: @escaping (Value) -> Void
    ) {
        self.work.run(on: queues[Int(id.magnitude % 4)], work, then: then)
    }
}
