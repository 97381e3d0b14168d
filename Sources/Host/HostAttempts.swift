// SPDX-License-Identifier: Apache-2.0

import BGRunSupervisor

/// The host's knowledge of the engine's attempts.
struct HostAttempts {
    /// The running attempts, by id.
    var views: [Int64: RunningView] = [:]
    /// The last step taken to end each of them.
    var steps: [Int64: LadderStep] = [:]
    /// The newest attempt launched by this host.
    var newest: Int64 = 0
    /// Whether the log will show the running attempts at the end of this round.
    var isShowing = false
    /// The tasks whose handler registration was logged.
    var registered: Set<String> = []
    /// The lines of attempts whose plugin is being loaded.
    var heldStarts: [Int64: LogLine] = [:]
    /// CLOCK_MONOTONIC at the launch of each attempt.
    var launchedMonotonic: [Int64: Int64] = [:]
    /// How attempts ended, until the engine has received it.
    var ends: [Int64: AttemptEnd] = [:]
    /// The number of attempts that have ended since the last cleanup.
    var endedSinceLook = Host.endsBetweenLooks
}
