// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A group of metrics of a payload.
///
/// `@unchecked Sendable`: neither it nor its classes have variables.
public class MXMetric: NSObject, @unchecked Sendable {
    /// With Apple's keys.
    var object: [String: any Sendable] { [:] }

    /// A JSON object with Apple's keys.
    public func jsonRepresentation() -> Data { MetricText.json(object) }

    /// The object of `jsonRepresentation`.
    public func dictionaryRepresentation() -> [AnyHashable: Any] {
        MetricText.dictionary(jsonRepresentation())
    }
}

/// The run time of the app.
public final class MXAppRunTimeMetric: MXMetric, @unchecked Sendable {
    private let background: Double

    init(background: Double) {
        self.background = background
    }

    /// The time of all attempts, without the time the machine was asleep. Concurrent attempts, in
    /// several workers, all count.
    public var cumulativeBackgroundTime: Measurement<UnitDuration> {
        Measurement(value: background, unit: .seconds)
    }

    /// Always zero: the user's use of the app (`bgrun open`) is not measured.
    public var cumulativeForegroundTime: Measurement<UnitDuration> {
        Measurement(value: 0, unit: .seconds)
    }

    /// Always zero, as is the next one: bgrun has no background modes for audio or location.
    public var cumulativeBackgroundAudioTime: Measurement<UnitDuration> {
        Measurement(value: 0, unit: .seconds)
    }

    public var cumulativeBackgroundLocationTime: Measurement<UnitDuration> {
        Measurement(value: 0, unit: .seconds)
    }

    override var object: [String: any Sendable] {
        [
            "cumulativeBackgroundTime": MetricText.seconds(background),
            "cumulativeForegroundTime": MetricText.seconds(0),
        ]
    }
}

/// The processor use of the attempts.
public final class MXCPUMetric: MXMetric, @unchecked Sendable {
    private let seconds: Double

    init(seconds: Double) {
        self.seconds = seconds
    }

    /// The time of all threads of the process during attempts, user and system.
    public var cumulativeCPUTime: Measurement<UnitDuration> {
        Measurement(value: seconds, unit: .seconds)
    }

    /// Always zero: instructions are not counted.
    public var cumulativeCPUInstructions: Measurement<Unit> {
        Measurement(value: 0, unit: Unit(symbol: "kiloinstructions"))
    }

    override var object: [String: any Sendable] {
        ["cumulativeCPUTime": MetricText.seconds(seconds)]
    }
}

/// The memory use of the attempts.
public final class MXMemoryMetric: MXMetric, @unchecked Sendable {
    /// KiB.
    private let peak: Int

    init(peak: Int) {
        self.peak = peak
    }

    /// The peak resident memory of a worker process until the end of an attempt of the day; a
    /// process that is kept for the next attempt keeps its peak.
    public var peakMemoryUsage: Measurement<UnitInformationStorage> {
        Measurement(value: Double(peak) * 1024, unit: .bytes)
    }

    /// Always zero, without samples: processes are not suspended.
    public var averageSuspendedMemory: MXAverage<UnitInformationStorage> {
        MXAverage(unit: .bytes)
    }

    override var object: [String: any Sendable] {
        ["peakMemoryUsage": MetricText.kilobytes(kibibytes: peak)]
    }
}

/// The machine at the time of delivery.
public final class MXMetaData: MXMetric, @unchecked Sendable {
    /// For example "US"; empty without a region.
    public let regionFormat = Locale.current.region?.identifier ?? ""
    public let osVersion = ProcessInfo.processInfo.operatingSystemVersionString
    /// As `UIDevice.model`.
    public let deviceType = "Linux"
    /// `CFBundleVersion`; empty without one.
    public let applicationBuildVersion = AppVersion.build
    #if arch(x86_64)
        public let platformArchitecture = "x86_64"
    #elseif arch(arm64)
        public let platformArchitecture = "arm64"
    #else
        public let platformArchitecture = "unknown"
    #endif

    override var object: [String: any Sendable] {
        [
            "regionFormat": regionFormat, "osVersion": osVersion, "deviceType": deviceType,
            "appBuildVersion": applicationBuildVersion,
            "platformArchitecture": platformArchitecture,
        ]
    }
}
