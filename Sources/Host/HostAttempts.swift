// SPDX-License-Identifier: Apache-2.0

import BGRunSupervisor

/// What a host knows of the engine's attempts.
struct HostAttempts {
    /// Those that run, by id.
    var views: [Int64: RunningView] = [:]
    /// The last step that was taken to end each of them.
    var steps: [Int64: LadderStep] = [:]
    /// The newest that was launched by this host.
    var newest: Int64 = 0
    /// Whether the log will be shown what runs at the end of this round.
    var isShowing = false
    /// The tasks whose handler registration was logged.
    var registered: Set<String> = []
    /// The lines of attempts whose plugin is being loaded.
    var heldStarts: [Int64: LogLine] = [:]
    /// CLOCK_MONOTONIC when an attempt was launched.
    var launchedMonotonic: [Int64: Int64] = [:]
    /// How attempts ended, until the engine has heard of it.
    var ends: [Int64: AttemptEnd] = [:]
    /// Those that have ended since old ones were looked for.
    var endedSinceLook = Host.endsBetweenLooks
}
