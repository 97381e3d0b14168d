// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunPlugin

/// The one attempt a worker runs.
struct CurrentAttempt {
    typealias Expire =
        @convention(c) (
            UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<bgrun_expiration>?
        ) -> Void

    let id: Int64
    /// Called on the watcher when time is revoked; nil for a handler without one.
    let expire: Expire?
    let userData: UnsafeMutableRawPointer?
    /// Whether it is given its grace without an `expire` of its own (foreign calls are).
    let keepsGrace: Bool
    let isPush: Bool
    /// The latest readings from the host.
    var device: HostMessage.Device
    /// CLOCK_MONOTONIC when the handler was entered.
    let entered: Int64
    /// How long it may continue after its report while it holds an assertion, in nanoseconds.
    let assertionLimit: Int64
    /// CLOCK_BOOTTIME until which it may count on its time; `.max`: no limit.
    var timeEnds: Int64
    var checkpoint: HostMessage.Checkpoint?
    var isReported = false
    /// It has said what came of a push.
    var hasResult = false
    /// Its time was revoked.
    var isTold = false
    var isExpiring = false
    var assertions: Set<Int64> = []
    var progress = Progress()

    /// Reported, and nothing holds its time open.
    var isOver: Bool { isReported && assertions.isEmpty }

    /// The newest progress, and when the host was last told.
    struct Progress {
        var completed: Int64 = 0
        var total: Int64 = 0
        var isUnsent = false
        var sentAt: Int64 = 0
    }
}
