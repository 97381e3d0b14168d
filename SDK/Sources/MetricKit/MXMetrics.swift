// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import os

// What payloads would hold. No payload is made, and none of these: the properties of one are nil.

/// How long launches took.
public final class MXAppLaunchMetric: NSObject, Sendable {
    public let histogrammedTimeToFirstDraw = MXHistogram<UnitDuration>()
    public let histogrammedApplicationResumeTime = MXHistogram<UnitDuration>()
}

/// How often a value was in each range.
public final class MXHistogram<UnitType: Unit>: NSObject, Sendable {
    public let totalBucketCount = 0
}

/// Processor time.
public final class MXCPUMetric: NSObject, Sendable {
    public let cumulativeCPUTime = Measurement(value: 0, unit: UnitDuration.seconds)
}

/// Memory.
public final class MXMemoryMetric: NSObject, Sendable {
    public let peakMemoryUsage = Measurement(value: 0, unit: UnitInformationStorage.bytes)
}

/// How long the app ran.
public final class MXAppRunTimeMetric: NSObject, Sendable {
    public let cumulativeForegroundTime = Measurement(value: 0, unit: UnitDuration.seconds)
    public let cumulativeBackgroundTime = Measurement(value: 0, unit: UnitDuration.seconds)
}

/// The app and the device.
public final class MXMetaData: NSObject, Sendable {
    public let osVersion = ""
    public let deviceType = ""
    public let applicationBuildVersion = ""
    public let regionFormat = ""
}

/// Where threads were.
public final class MXCallStackTree: NSObject, Sendable {
    public func jsonRepresentation() -> Data { Data("{}".utf8) }
}

/// What went wrong once.
///
/// `@unchecked Sendable`: it holds constants.
open class MXDiagnostic: NSObject, @unchecked Sendable {
    public let metaData = MXMetaData()
    public let applicationVersion = ""

    public func jsonRepresentation() -> Data { Data("{}".utf8) }
}

/// A crash.
public final class MXCrashDiagnostic: MXDiagnostic, @unchecked Sendable {
    public let callStackTree = MXCallStackTree()
    public let terminationReason: String? = nil
    public let exceptionType: NSNumber? = nil
    public let signal: NSNumber? = nil
}

/// A main thread that did not answer.
public final class MXHangDiagnostic: MXDiagnostic, @unchecked Sendable {
    public let callStackTree = MXCallStackTree()
    public let hangDuration = Measurement(value: 0, unit: UnitDuration.seconds)
}

/// Much processor time.
public final class MXCPUExceptionDiagnostic: MXDiagnostic, @unchecked Sendable {
    public let callStackTree = MXCallStackTree()
    public let totalCPUTime = Measurement(value: 0, unit: UnitDuration.seconds)
}

extension MXMetricPayload {
    public var applicationLaunchMetrics: MXAppLaunchMetric? { nil }
    public var applicationTimeMetrics: MXAppRunTimeMetric? { nil }
    public var cpuMetrics: MXCPUMetric? { nil }
    public var memoryMetrics: MXMemoryMetric? { nil }
    public var metaData: MXMetaData? { nil }
    public var includesMultipleApplicationVersions: Bool { false }
    public func dictionaryRepresentation() -> [AnyHashable: Any] { [:] }
}

extension MXDiagnosticPayload {
    public var crashDiagnostics: [MXCrashDiagnostic]? { nil }
    public var hangDiagnostics: [MXHangDiagnostic]? { nil }
    public var cpuExceptionDiagnostics: [MXCPUExceptionDiagnostic]? { nil }
    public func dictionaryRepresentation() -> [AnyHashable: Any] { [:] }
}

extension MXMetricManager {
    /// A log whose signposts would be in the payloads.
    public static func makeLogHandle(category: String) -> OSLog {
        OSLog(subsystem: "com.apple.metrickit", category: category)
    }
}

/// Does nothing.
public func mxSignpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer? = nil, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive
) {}
