// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The ends of attempts.
public final class MXAppExitMetric: MXMetric, @unchecked Sendable {
    public let backgroundExitData: MXBackgroundExitData
    public let foregroundExitData = MXForegroundExitData()

    init(normal: Int, expired: Int) {
        backgroundExitData = MXBackgroundExitData(normal: normal, expired: expired)
    }

    override var object: [String: any Sendable] {
        [
            "backgroundExitData": backgroundExitData.object,
            "foregroundExitData": foregroundExitData.object,
        ]
    }
}

/// The ends of attempts whose process survives to count them: does not count attempts that crash or
/// are killed; `bgrun report` does.
public final class MXBackgroundExitData: NSObject, Sendable {
    /// Attempts that ended in time, successful or not.
    public let cumulativeNormalAppExitCount: Int
    /// Attempts whose time was revoked, for any reason.
    public let cumulativeBackgroundTaskAssertionTimeoutExitCount: Int
    /// Always 0, as are the following.
    public let cumulativeAbnormalExitCount = 0
    public let cumulativeAppWatchdogExitCount = 0
    public let cumulativeBadAccessExitCount = 0
    public let cumulativeCPUResourceLimitExitCount = 0
    public let cumulativeIllegalInstructionExitCount = 0
    public let cumulativeMemoryPressureExitCount = 0
    public let cumulativeMemoryResourceLimitExitCount = 0
    public let cumulativeSuspendedWithLockedFileExitCount = 0

    init(normal: Int, expired: Int) {
        cumulativeNormalAppExitCount = normal
        cumulativeBackgroundTaskAssertionTimeoutExitCount = expired
    }

    fileprivate var object: [String: Int] {
        [
            "cumulativeNormalAppExitCount": cumulativeNormalAppExitCount,
            "cumulativeBackgroundTaskAssertionTimeoutExitCount":
                cumulativeBackgroundTaskAssertionTimeoutExitCount,
            "cumulativeAbnormalExitCount": cumulativeAbnormalExitCount,
            "cumulativeAppWatchdogExitCount": cumulativeAppWatchdogExitCount,
            "cumulativeBadAccessExitCount": cumulativeBadAccessExitCount,
            "cumulativeCPUResourceLimitExitCount": cumulativeCPUResourceLimitExitCount,
            "cumulativeIllegalInstructionExitCount": cumulativeIllegalInstructionExitCount,
            "cumulativeMemoryPressureExitCount": cumulativeMemoryPressureExitCount,
            "cumulativeMemoryResourceLimitExitCount": cumulativeMemoryResourceLimitExitCount,
            "cumulativeSuspendedWithLockedFileExitCount":
                cumulativeSuspendedWithLockedFileExitCount,
        ]
    }
}

/// Always 0: attempts run in the background.
public final class MXForegroundExitData: NSObject, Sendable {
    public let cumulativeNormalAppExitCount = 0
    public let cumulativeAbnormalExitCount = 0
    public let cumulativeAppWatchdogExitCount = 0
    public let cumulativeBadAccessExitCount = 0
    public let cumulativeIllegalInstructionExitCount = 0
    public let cumulativeMemoryResourceLimitExitCount = 0

    fileprivate var object: [String: Int] {
        [
            "cumulativeNormalAppExitCount": cumulativeNormalAppExitCount,
            "cumulativeAbnormalExitCount": cumulativeAbnormalExitCount,
            "cumulativeAppWatchdogExitCount": cumulativeAppWatchdogExitCount,
            "cumulativeBadAccessExitCount": cumulativeBadAccessExitCount,
            "cumulativeIllegalInstructionExitCount": cumulativeIllegalInstructionExitCount,
            "cumulativeMemoryResourceLimitExitCount": cumulativeMemoryResourceLimitExitCount,
        ]
    }
}
