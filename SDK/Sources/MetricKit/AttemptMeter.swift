// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Glibc

/// Measures the running attempt.
struct AttemptMeter {
    /// Its time was revoked.
    var isExpired: Bool
    private let begin = SuspendingClock.now
    private let cpuSeconds = ProcessUsage.now.cpuSeconds

    init(_ task: PluginTask) {
        isExpired = task.isExpired
    }

    /// The resources used by the attempt until now.
    func read(version: String) -> AttemptFigures {
        let usage = ProcessUsage.now
        return AttemptFigures(
            seconds: (SuspendingClock.now - begin) / .seconds(1),
            cpuSeconds: usage.cpuSeconds - cpuSeconds, peakMemory: usage.peakMemory,
            isExpired: isExpired, version: version)
    }
}

/// The resources used by the process since its start.
private struct ProcessUsage {
    /// Seconds of processor time, user and system.
    let cpuSeconds: Double
    /// KiB.
    let peakMemory: Int

    static var now: ProcessUsage {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return ProcessUsage(
            cpuSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
            peakMemory: usage.ru_maxrss)
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
    }
}
