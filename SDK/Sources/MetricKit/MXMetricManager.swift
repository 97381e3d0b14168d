// SPDX-License-Identifier: Apache-2.0

@_exported import Foundation

/// Inert: no payload is created, and no subscriber is called. `bgrun report` and `bgrun metrics`
/// provide launches, outcomes and times.
public final class MXMetricManager: NSObject, Sendable {
    public static let shared = MXMetricManager()

    public var pastPayloads: [MXMetricPayload] { [] }
    public var pastDiagnosticPayloads: [MXDiagnosticPayload] { [] }

    public func add(_ subscriber: any MXMetricManagerSubscriber) {}
    public func remove(_ subscriber: any MXMetricManagerSubscriber) {}
}

/// Would receive the payloads of each day.
public protocol MXMetricManagerSubscriber: NSObjectProtocol {
    func didReceive(_ payloads: [MXMetricPayload])
    func didReceive(_ payloads: [MXDiagnosticPayload])
}

extension MXMetricManagerSubscriber {
    public func didReceive(_ payloads: [MXMetricPayload]) {}
    public func didReceive(_ payloads: [MXDiagnosticPayload]) {}
}

/// The daily metrics of an app. Never created.
public final class MXMetricPayload: NSObject, Sendable {
    public let timeStampBegin: Date
    public let timeStampEnd: Date
    public let latestApplicationVersion: String

    init(begin: Date, end: Date, version: String) {
        timeStampBegin = begin
        timeStampEnd = end
        latestApplicationVersion = version
    }

    public var applicationExitMetrics: MXAppExitMetric? { nil }
    public func jsonRepresentation() -> Data { Data("{}".utf8) }
}

/// The exits of an app. Never created.
public final class MXAppExitMetric: NSObject, Sendable {
    public let backgroundExitData = MXBackgroundExitData()
    public let foregroundExitData = MXForegroundExitData()
}

/// Ends in the background.
public final class MXBackgroundExitData: NSObject, Sendable {
    public let cumulativeNormalAppExitCount = 0
    public let cumulativeAbnormalExitCount = 0
    public let cumulativeBackgroundTaskAssertionTimeoutExitCount = 0
    public let cumulativeCPUResourceLimitExitCount = 0
    public let cumulativeMemoryPressureExitCount = 0
    public let cumulativeMemoryResourceLimitExitCount = 0
    public let cumulativeAppWatchdogExitCount = 0
    public let cumulativeBadAccessExitCount = 0
    public let cumulativeIllegalInstructionExitCount = 0
    public let cumulativeSuspendedWithLockedFileExitCount = 0
}

/// Ends in the foreground.
public final class MXForegroundExitData: NSObject, Sendable {
    public let cumulativeNormalAppExitCount = 0
    public let cumulativeAbnormalExitCount = 0
}

/// The diagnostics of an app. Never created.
public final class MXDiagnosticPayload: NSObject, Sendable {
    public let timeStampBegin: Date
    public let timeStampEnd: Date

    init(begin: Date, end: Date) {
        timeStampBegin = begin
        timeStampEnd = end
    }

    public func jsonRepresentation() -> Data { Data("{}".utf8) }
}
