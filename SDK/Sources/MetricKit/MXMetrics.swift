// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import os

// Metrics and diagnostics that bgrun does not measure: the properties of a payload are nil.

/// How long launches took.
public final class MXAppLaunchMetric: NSObject, Sendable {
    public let histogrammedTimeToFirstDraw = MXHistogram<UnitDuration>()
    public let histogrammedApplicationResumeTime = MXHistogram<UnitDuration>()
}

/// How often a value was in each range.
public final class MXHistogram<UnitType: Unit>: NSObject, Sendable {
    public let totalBucketCount = 0
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

    /// The object of `jsonRepresentation`.
    public func dictionaryRepresentation() -> [AnyHashable: Any] {
        let object = try? JSONSerialization.jsonObject(with: jsonRepresentation())
        return object as? [String: Any] ?? [:]
    }
}

extension MXDiagnosticPayload {
    public var crashDiagnostics: [MXCrashDiagnostic]? { nil }
    public var hangDiagnostics: [MXHangDiagnostic]? { nil }
    public var cpuExceptionDiagnostics: [MXCPUExceptionDiagnostic]? { nil }
    public func dictionaryRepresentation() -> [AnyHashable: Any] { [:] }
}

/// Does nothing.
public func mxSignpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer? = nil, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive
) {}
