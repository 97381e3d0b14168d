// SPDX-License-Identifier: Apache-2.0

import Foundation
import MetricKit
import Testing

@Suite("The JSON of a payload", .timeLimit(.minutes(5))) struct PayloadTests {
    private func payload(_ figures: AttemptFigures) throws -> [String: Any] {
        var history = MetricHistory()
        history.record(figures, at: Date(timeIntervalSince1970: 1_772_366_400))
        let payload = MXMetricPayload(try #require(history.days.first))
        let json = try JSONSerialization.jsonObject(with: payload.jsonRepresentation())
        return try #require(json as? [String: Any])
    }

    @Test("has Apple's keys, and measurements with units")
    func keys() throws {
        let json = try payload(
            AttemptFigures(
                seconds: 1234.5, cpuSeconds: 0.25, peakMemory: 200_000, isExpired: true,
                version: "1.2"))
        #expect(
            json.keys.sorted() == [
                "appVersion", "applicationExitMetrics", "applicationTimeMetrics", "cpuMetrics",
                "memoryMetrics", "metaData", "timeStampBegin", "timeStampEnd",
            ])
        #expect(json["appVersion"] as? String == "1.2")
        #expect(json["timeStampBegin"] as? String == "2026-03-01 00:00:00 +0000")
        #expect(json["timeStampEnd"] as? String == "2026-03-02 00:00:00 +0000")
        let time = json["applicationTimeMetrics"] as? [String: String]
        #expect(time?["cumulativeBackgroundTime"] == "1,234.5 sec")
        #expect(time?["cumulativeForegroundTime"] == "0 sec")
        #expect(json["cpuMetrics"] as? [String: String] == ["cumulativeCPUTime": "0.25 sec"])
        #expect(json["memoryMetrics"] as? [String: String] == ["peakMemoryUsage": "204,800 kB"])
        let exits = json["applicationExitMetrics"] as? [String: [String: Int]]
        let background = exits?["backgroundExitData"]
        #expect(background?["cumulativeBackgroundTaskAssertionTimeoutExitCount"] == 1)
        #expect(background?["cumulativeNormalAppExitCount"] == 0)
        #expect(exits?["foregroundExitData"]?["cumulativeNormalAppExitCount"] == 0)
        let machine = try #require(json["metaData"] as? [String: String])
        #expect(
            machine.keys.sorted() == [
                "appBuildVersion", "deviceType", "osVersion", "platformArchitecture",
                "regionFormat",
            ])
        #expect(machine["osVersion"]?.isEmpty == false)
    }

    @Test(
        "times are written to the millisecond, without zeros at their end",
        arguments: [
            (0.0, "0 sec"), (0.0004, "0 sec"), (0.0016, "0.002 sec"), (1.05, "1.05 sec"),
            (999.9999, "1,000 sec"), (1_234_567, "1,234,567 sec"),
        ])
    func seconds(value: Double, text: String) throws {
        let json = try payload(AttemptFigures(seconds: 0, cpuSeconds: value, peakMemory: 0))
        #expect(json["cpuMetrics"] as? [String: String] == ["cumulativeCPUTime": text])
    }

    @Test("metrics that bgrun does not measure are nil, zero or empty")
    func unmeasured() throws {
        var history = MetricHistory()
        history.record(
            AttemptFigures(seconds: 2, cpuSeconds: 1, peakMemory: 1),
            at: Date(timeIntervalSince1970: 1_772_366_400))
        let payload = MXMetricPayload(try #require(history.days.first))
        let groups: [NSObject?] = [
            payload.applicationResponsivenessMetrics, payload.networkTransferMetrics,
            payload.diskIOMetrics, payload.gpuMetrics, payload.cellularConditionMetrics,
            payload.displayMetrics, payload.animationMetrics, payload.locationActivityMetrics,
        ]
        #expect(groups.allSatisfy { $0 == nil })
        #expect(payload.signpostMetrics == nil)
        let exits = try #require(payload.applicationExitMetrics)
        #expect(
            exits.dictionaryRepresentation().keys.compactMap { $0 as? String }.sorted() == [
                "backgroundExitData", "foregroundExitData",
            ])
        #expect(payload.dictionaryRepresentation()["appVersion"] as? String == "")
        #expect(payload.cpuMetrics?.cumulativeCPUInstructions.value == 0)
        #expect(payload.memoryMetrics?.averageSuspendedMemory.sampleCount == 0)
        #expect(payload.applicationTimeMetrics?.cumulativeBackgroundAudioTime.value == 0)
        #expect(payload.applicationTimeMetrics?.cumulativeBackgroundLocationTime.value == 0)
        let histogram = MXAppLaunchMetric().histogrammedTimeToFirstDraw
        let bucket = histogram.bucketEnumerator.nextObject() as? MXHistogramBucket<UnitDuration>
        #expect(bucket == nil)
    }

    @Test("each group of metrics has its own JSON")
    func groups() throws {
        var history = MetricHistory()
        history.record(
            AttemptFigures(seconds: 2, cpuSeconds: 1, peakMemory: 1),
            at: Date(timeIntervalSince1970: 1_772_366_400))
        let payload = MXMetricPayload(try #require(history.days.first))
        let json = try #require(payload.cpuMetrics?.jsonRepresentation())
        #expect(
            try JSONDecoder().decode([String: String].self, from: json) == [
                "cumulativeCPUTime": "1 sec"
            ])
    }
}
