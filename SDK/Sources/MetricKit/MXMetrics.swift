// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import os

// Metrics and diagnostics that bgrun does not measure: the properties of a payload are nil.

/// The durations of launches.
public final class MXAppLaunchMetric: MXMetric, @unchecked Sendable {
    public let histogrammedTimeToFirstDraw = MXHistogram<UnitDuration>()
    public let histogrammedOptimizedTimeToFirstDraw = MXHistogram<UnitDuration>()
    public let histogrammedApplicationResumeTime = MXHistogram<UnitDuration>()
    public let histogrammedExtendedLaunch = MXHistogram<UnitDuration>()
}

/// The number of values in each range. Has no buckets.
public final class MXHistogram<UnitType: Unit>: NSObject, Sendable {
    public let totalBucketCount = 0
    /// The elements would be `MXHistogramBucket`.
    public var bucketEnumerator: NSEnumerator { NSArray().objectEnumerator() }
}

/// The number of values in a range. Never created.
///
/// `@unchecked Sendable`: it holds constants.
public final class MXHistogramBucket<UnitType: Unit>: NSObject, @unchecked Sendable {
    public let bucketStart: Measurement<UnitType>
    public let bucketEnd: Measurement<UnitType>
    public let bucketCount: Int

    init(_ start: Measurement<UnitType>, _ end: Measurement<UnitType>, count: Int) {
        bucketStart = start
        bucketEnd = end
        bucketCount = count
        super.init()
    }
}

/// The average without samples: zero.
///
/// `@unchecked Sendable`: it holds constants.
public final class MXAverage<UnitType: Unit>: NSObject, @unchecked Sendable {
    public let averageMeasurement: Measurement<UnitType>
    public let sampleCount = 0
    public let standardDeviation = 0.0

    init(unit: UnitType) {
        averageMeasurement = Measurement(value: 0, unit: unit)
        super.init()
    }
}

/// The times for which the app did not respond.
public final class MXAppResponsivenessMetric: MXMetric, @unchecked Sendable {
    public let histogrammedApplicationHangTime = MXHistogram<UnitDuration>()
}

/// The sent and received bytes.
public final class MXNetworkTransferMetric: MXMetric, @unchecked Sendable {
    public let cumulativeWifiUpload = Measurement(value: 0, unit: UnitInformationStorage.bytes)
    public let cumulativeWifiDownload = Measurement(value: 0, unit: UnitInformationStorage.bytes)
    public let cumulativeCellularUpload = Measurement(
        value: 0, unit: UnitInformationStorage.bytes)
    public let cumulativeCellularDownload = Measurement(
        value: 0, unit: UnitInformationStorage.bytes)
}

/// The bytes written to files.
public final class MXDiskIOMetric: MXMetric, @unchecked Sendable {
    public let cumulativeLogicalWrites = Measurement(
        value: 0, unit: UnitInformationStorage.bytes)
}

/// The time of the graphics processor.
public final class MXGPUMetric: MXMetric, @unchecked Sendable {
    public let cumulativeGPUTime = Measurement(value: 0, unit: UnitDuration.seconds)
}

/// The strength of the cellular signal.
public final class MXCellularConditionMetric: MXMetric, @unchecked Sendable {
    public let histogrammedCellularConditionTime = MXHistogram<MXUnitSignalBars>()
}

/// The brightness of the display.
public final class MXDisplayMetric: MXMetric, @unchecked Sendable {
    public let averagePixelLuminance: MXAverage<MXUnitAveragePixelLuminance>? = nil
}

/// The smoothness of animations.
public final class MXAnimationMetric: MXMetric, @unchecked Sendable {
    public let scrollHitchTimeRatio = Measurement(value: 0, unit: Unit(symbol: "ms per s"))
}

/// The time for which the app determined its location.
public final class MXLocationActivityMetric: MXMetric, @unchecked Sendable {
    public let cumulativeBestAccuracyForNavigationTime = Measurement(
        value: 0, unit: UnitDuration.seconds)
    public let cumulativeBestAccuracyTime = Measurement(value: 0, unit: UnitDuration.seconds)
    public let cumulativeNearestTenMetersAccuracyTime = Measurement(
        value: 0, unit: UnitDuration.seconds)
    public let cumulativeHundredMetersAccuracyTime = Measurement(
        value: 0, unit: UnitDuration.seconds)
    public let cumulativeKilometerAccuracyTime = Measurement(
        value: 0, unit: UnitDuration.seconds)
    public let cumulativeThreeKilometersAccuracyTime = Measurement(
        value: 0, unit: UnitDuration.seconds)
}

/// The signposts of one name.
public final class MXSignpostMetric: MXMetric, @unchecked Sendable {
    public let signpostName = ""
    public let signpostCategory = ""
    public let signpostIntervalData: MXSignpostIntervalData? = nil
    public let totalCount = 0
}

/// The interval between two signposts.
///
/// `@unchecked Sendable`: it holds constants.
public final class MXSignpostIntervalData: NSObject, @unchecked Sendable {
    public let histogrammedSignpostDuration = MXHistogram<UnitDuration>()
    public let cumulativeCPUTime: Measurement<UnitDuration>? = nil
    public let averageMemory: MXAverage<UnitInformationStorage>? = nil
    public let cumulativeLogicalWrites: Measurement<UnitInformationStorage>? = nil
}

/// Bars of a signal.
public final class MXUnitSignalBars: Dimension, @unchecked Sendable {
    public static let bars = MXUnitSignalBars(
        symbol: "bars", converter: UnitConverterLinear(coefficient: 1))

    public override class func baseUnit() -> MXUnitSignalBars { bars }
}

/// The luminance of pixels.
public final class MXUnitAveragePixelLuminance: Dimension, @unchecked Sendable {
    public static let apl = MXUnitAveragePixelLuminance(
        symbol: "apl", converter: UnitConverterLinear(coefficient: 1))

    public override class func baseUnit() -> MXUnitAveragePixelLuminance { apl }
}

/// The call stacks of threads.
public final class MXCallStackTree: NSObject, Sendable {
    public func jsonRepresentation() -> Data { Data("{}".utf8) }
}

/// A single problem.
///
/// `@unchecked Sendable`: it holds constants.
open class MXDiagnostic: NSObject, @unchecked Sendable {
    public let metaData = MXMetaData()
    public let applicationVersion = ""

    public func jsonRepresentation() -> Data { Data("{}".utf8) }
    public func dictionaryRepresentation() -> [AnyHashable: Any] { [:] }
}

/// A crash.
public final class MXCrashDiagnostic: MXDiagnostic, @unchecked Sendable {
    public let callStackTree = MXCallStackTree()
    public let terminationReason: String? = nil
    public let virtualMemoryRegionInfo: String? = nil
    public let exceptionType: NSNumber? = nil
    public let exceptionCode: NSNumber? = nil
    public let signal: NSNumber? = nil
}

/// A main thread that did not respond.
public final class MXHangDiagnostic: MXDiagnostic, @unchecked Sendable {
    public let callStackTree = MXCallStackTree()
    public let hangDuration = Measurement(value: 0, unit: UnitDuration.seconds)
}

/// Much processor time.
public final class MXCPUExceptionDiagnostic: MXDiagnostic, @unchecked Sendable {
    public let callStackTree = MXCallStackTree()
    public let totalCPUTime = Measurement(value: 0, unit: UnitDuration.seconds)
    public let totalSampledTime = Measurement(value: 0, unit: UnitDuration.seconds)
}

/// Many writes to files.
public final class MXDiskWriteExceptionDiagnostic: MXDiagnostic, @unchecked Sendable {
    public let callStackTree = MXCallStackTree()
    public let totalWritesCaused = Measurement(value: 0, unit: UnitInformationStorage.bytes)
}

/// A long launch.
public final class MXAppLaunchDiagnostic: MXDiagnostic, @unchecked Sendable {
    public let callStackTree = MXCallStackTree()
    public let launchDuration = Measurement(value: 0, unit: UnitDuration.seconds)
}

extension MXMetricPayload {
    public var applicationLaunchMetrics: MXAppLaunchMetric? { nil }
    public var applicationResponsivenessMetrics: MXAppResponsivenessMetric? { nil }
    public var networkTransferMetrics: MXNetworkTransferMetric? { nil }
    public var diskIOMetrics: MXDiskIOMetric? { nil }
    public var gpuMetrics: MXGPUMetric? { nil }
    public var cellularConditionMetrics: MXCellularConditionMetric? { nil }
    public var displayMetrics: MXDisplayMetric? { nil }
    public var animationMetrics: MXAnimationMetric? { nil }
    public var locationActivityMetrics: MXLocationActivityMetric? { nil }
    public var signpostMetrics: [MXSignpostMetric]? { nil }

    /// The object of `jsonRepresentation`.
    public func dictionaryRepresentation() -> [AnyHashable: Any] {
        MetricText.dictionary(jsonRepresentation())
    }
}

extension MXDiagnosticPayload {
    public var crashDiagnostics: [MXCrashDiagnostic]? { nil }
    public var hangDiagnostics: [MXHangDiagnostic]? { nil }
    public var cpuExceptionDiagnostics: [MXCPUExceptionDiagnostic]? { nil }
    public var diskWriteExceptionDiagnostics: [MXDiskWriteExceptionDiagnostic]? { nil }
    public var appLaunchDiagnostics: [MXAppLaunchDiagnostic]? { nil }
    public func dictionaryRepresentation() -> [AnyHashable: Any] { [:] }
}

/// Does nothing.
public func mxSignpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer? = nil, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive
) {}
