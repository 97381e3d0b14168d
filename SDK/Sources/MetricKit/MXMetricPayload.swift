// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The metrics of the app for one UTC day, from the attempts that ended on it.
public final class MXMetricPayload: NSObject, Sendable {
    /// The first instant of the day, and of the next.
    public let timeStampBegin: Date
    public let timeStampEnd: Date
    /// `CFBundleShortVersionString` at the last attempt; empty without one, as usual for the main
    /// bundle of a plugin.
    public let latestApplicationVersion: String
    public let includesMultipleApplicationVersions: Bool

    private let time: MXAppRunTimeMetric
    private let exits: MXAppExitMetric
    private let cpu: MXCPUMetric
    private let memory: MXMemoryMetric
    private let environment = MXMetaData()

    package init(_ day: MetricDay) {
        timeStampBegin = day.begin
        timeStampEnd = day.end
        latestApplicationVersion = day.version
        includesMultipleApplicationVersions = day.hasSeveralVersions
        time = MXAppRunTimeMetric(background: day.seconds)
        exits = MXAppExitMetric(normal: day.normalExits, expired: day.expirations)
        cpu = MXCPUMetric(seconds: day.cpuSeconds)
        memory = MXMemoryMetric(peak: day.peakMemory)
    }

    /// Never nil; optional as on iOS.
    public var applicationTimeMetrics: MXAppRunTimeMetric? { time }
    public var applicationExitMetrics: MXAppExitMetric? { exits }
    public var cpuMetrics: MXCPUMetric? { cpu }
    public var memoryMetrics: MXMemoryMetric? { memory }
    public var metaData: MXMetaData? { environment }

    /// A JSON object with Apple's keys; measures are text with their unit, for example "0.25 sec".
    public func jsonRepresentation() -> Data {
        MetricText.json([
            "timeStampBegin": MetricText.date(timeStampBegin),
            "timeStampEnd": MetricText.date(timeStampEnd),
            "appVersion": latestApplicationVersion,
            "metaData": environment.object,
            "applicationTimeMetrics": time.object,
            "applicationExitMetrics": exits.object,
            "cpuMetrics": cpu.object,
            "memoryMetrics": memory.object,
        ])
    }
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
