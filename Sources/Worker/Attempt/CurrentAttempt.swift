// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunPlugin

/// The attempt that a worker runs.
struct CurrentAttempt {
    typealias Expire =
        @convention(c) (
            UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<bgrun_expiration>?
        ) -> Void

    let id: Int64
    /// Called on the watcher when time is revoked; nil if the handler does not have one.
    let expire: Expire?
    let userData: UnsafeMutableRawPointer?
    /// Whether it gets its grace without its own `expire` (as foreign calls do).
    let keepsGrace: Bool
    let isPush: Bool
    /// The latest readings from the host.
    var device: HostMessage.Device
    /// CLOCK_MONOTONIC when the handler was entered.
    let entered: Int64
    /// How long it may continue after its report while it holds an assertion, in nanoseconds.
    let assertionLimit: Int64
    /// CLOCK_BOOTTIME of its deadline; `.max`: no limit.
    var timeEnds: Int64
    var checkpoint: HostMessage.Checkpoint?
    var isReported = false
    /// Whether it has reported the result of a push.
    var hasResult = false
    /// Whether its time was revoked.
    var isTold = false
    var isExpiring = false
    var assertions: Set<Int64> = []
    var progress = Progress()

    /// Whether it has reported and has no assertions.
    var isOver: Bool { isReported && assertions.isEmpty }

    /// The newest progress, and when it was last reported to the host.
    struct Progress {
        var completed: Int64 = 0
        var total: Int64 = 0
        var isUnsent = false
        var sentAt: Int64 = 0
    }
}
