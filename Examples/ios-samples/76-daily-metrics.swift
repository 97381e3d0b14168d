//: task com.example.vitals.report processing
//: run
//: ends com.example.vitals.report completed
//: says 0 days of metrics, 0 reports of diagnostics

import BackgroundTasks
import MetricKit
import UIKit

final class MetricsReporter: NSObject, MXMetricManagerSubscriber, Sendable {
    static let shared = MetricsReporter()

    func start() {
        MXMetricManager.shared.add(self)
    }

    func didReceive(_ payloads: [MXMetricPayload]) {
        payloads.forEach(report)
    }

    func didReceive(_ payloads: [MXDiagnosticPayload]) {
        payloads.forEach(report)
    }

    func report(_ payload: MXMetricPayload) {
        for (key, value) in payload.dictionaryRepresentation() {
            print("\(key): \(value)")
        }
        if let launch = payload.applicationLaunchMetrics {
            print("launch: \(buckets(of: launch.histogrammedTimeToFirstDraw))")
            print("resume: \(buckets(of: launch.histogrammedApplicationResumeTime))")
        }
        if let responsiveness = payload.applicationResponsivenessMetrics {
            print("hangs: \(buckets(of: responsiveness.histogrammedApplicationHangTime))")
        }
        if let network = payload.networkTransferMetrics {
            let up = network.cumulativeWifiUpload + network.cumulativeCellularUpload
            let down = network.cumulativeWifiDownload + network.cumulativeCellularDownload
            print("network: \(up.converted(to: .megabytes).value) MB up, \(down.value) down")
        }
        if let disk = payload.diskIOMetrics {
            print("written: \(disk.cumulativeLogicalWrites.converted(to: .kilobytes).value) kB")
        }
        if let graphics = payload.gpuMetrics {
            print("graphics: \(graphics.cumulativeGPUTime.converted(to: .seconds).value) s")
        }
        if let cellular = payload.cellularConditionMetrics {
            print("bars: \(buckets(of: cellular.histogrammedCellularConditionTime))")
        }
        if let luminance = payload.displayMetrics?.averagePixelLuminance {
            print("luminance: \(luminance.averageMeasurement.value) of \(luminance.sampleCount)")
        }
        if let animation = payload.animationMetrics {
            print("hitches: \(animation.scrollHitchTimeRatio.value)")
        }
        if let location = payload.locationActivityMetrics {
            print("location: \(location.cumulativeBestAccuracyTime.value) s")
        }
        for signpost in payload.signpostMetrics ?? [] {
            print("\(signpost.signpostCategory) \(signpost.signpostName): \(signpost.totalCount)")
        }
        if let time = payload.applicationTimeMetrics {
            let background = time.cumulativeBackgroundTime - time.cumulativeBackgroundAudioTime
            print("background: \(background.value) s")
        }
        if let cpu = payload.cpuMetrics {
            print("instructions: \(cpu.cumulativeCPUInstructions.value)")
        }
        if let memory = payload.memoryMetrics {
            print("suspended: \(memory.averageSuspendedMemory.averageMeasurement.value) bytes")
        }
        if let exits = payload.applicationExitMetrics?.foregroundExitData {
            let crashes =
                exits.cumulativeBadAccessExitCount + exits.cumulativeIllegalInstructionExitCount
                + exits.cumulativeAppWatchdogExitCount
                + exits.cumulativeMemoryResourceLimitExitCount
            print("exits: \(exits.cumulativeNormalAppExitCount), \(crashes) abnormal")
        }
    }

    func report(_ payload: MXDiagnosticPayload) {
        for crash in payload.crashDiagnostics ?? [] {
            let codes = [crash.signal, crash.exceptionType, crash.exceptionCode]
            print("crash \(codes.compactMap { $0?.intValue }), \(crash.terminationReason ?? "")")
            print(crash.virtualMemoryRegionInfo ?? "no region")
            print(String(data: crash.callStackTree.jsonRepresentation(), encoding: .utf8) ?? "")
        }
        for hang in payload.hangDiagnostics ?? [] {
            print("hang of \(hang.hangDuration.converted(to: .milliseconds).value) ms")
        }
        for write in payload.diskWriteExceptionDiagnostics ?? [] {
            print("wrote \(write.totalWritesCaused.converted(to: .megabytes).value) MB")
        }
        for launch in payload.appLaunchDiagnostics ?? [] {
            print("launch of \(launch.launchDuration.value) s")
        }
    }

    private func buckets<UnitType: Unit>(of histogram: MXHistogram<UnitType>) -> String {
        var texts: [String] = []
        let enumerator = histogram.bucketEnumerator
        while let bucket = enumerator.nextObject() as? MXHistogramBucket<UnitType> {
            texts.append(
                "\(bucket.bucketStart.value) to \(bucket.bucketEnd.value): \(bucket.bucketCount)")
        }
        return "\(histogram.totalBucketCount) buckets: \(texts.joined(separator: ", "))"
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        MetricsReporter.shared.start()
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.vitals.report", using: nil
        ) { task in
            let manager = MXMetricManager.shared
            manager.pastPayloads.forEach(MetricsReporter.shared.report)
            manager.pastDiagnosticPayloads.forEach(MetricsReporter.shared.report)
            print(
                "\(manager.pastPayloads.count) days of metrics, "
                    + "\(manager.pastDiagnosticPayloads.count) reports of diagnostics")
            task.setTaskCompleted(success: true)
        }
        return true
    }
}
