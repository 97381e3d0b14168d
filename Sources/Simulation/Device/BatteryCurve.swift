// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The charge of a battery over time: line segments, read as whole percentages.
struct BatteryCurve {
    /// Ascending in time; each line continues to the next point.
    private var points: [(at: Int64, level: Double)]
    private let duration: Int64

    init(
        _ script: BatteryScript, power: Timetable<Bool>, suspended: [Range<Int64>], duration: Int64
    ) {
        self.duration = duration
        switch script {
        case .points(let given):
            points = given.map { ($0.at.nanoseconds, Double($0.percent)) }
        case .rates(let start, let lasts, let lastsSuspended, let chargesIn):
            points = [(0, Double(start))]
            let edges =
                power.changes.map(\.at) + suspended.flatMap { [$0.lowerBound, $0.upperBound] }
            let bounds = Set(edges).filter { $0 < duration }.sorted() + [duration]
            for (from, to) in zip(bounds, bounds.dropFirst()) {
                let isCharging = power.changes.last { $0.at <= from }?.value ?? false
                let isSuspended = suspended.contains { $0.contains(from) }
                let fall = isSuspended ? lastsSuspended : lasts
                let slope =
                    isCharging
                    ? 100 / Double(chargesIn.nanoseconds) : -100 / Double(fall.nanoseconds)
                appendLine(slope: slope, from: from, to: to)
            }
        }
    }

    /// Appends a line that becomes level when the battery is full or empty.
    private mutating func appendLine(slope: Double, from: Int64, to end: Int64) {
        guard let last = points.last else { return }
        let bound: Double = slope > 0 ? 100 : 0
        let reach = from.saturatingAdding(
            Int64(clamping: ((bound - last.level) / slope).rounded(.up)))
        if reach < end {
            points.append((reach, bound))
            points.append((end, bound))
        } else {
            points.append((end, last.level + slope * Double(end - from)))
        }
    }

    /// The whole percentages, rounded down, each with the start of its reading.
    var percentages: Timetable<Int> {
        var changes: [(at: Int64, value: Int)] = [(0, Int(points.first?.level ?? 0))]
        for (start, end) in zip(points, points.dropFirst()) where end.level != start.level {
            let length = end.at.saturatingSubtracting(start.at)
            let slope = (end.level - start.level) / Double(length)
            let rising = slope > 0
            // fits: -1 to 101
            var percent = rising ? Int(start.level) + 1 : Int(start.level.rounded(.up)) - 1
            while rising ? Double(percent) <= end.level : Double(percent) > end.level - 1 {
                // On a falling line, `percent` is read just below `percent + 1`.
                let edge = rising ? Double(percent) : Double(percent + 1)
                let offset = (edge - start.level) / slope
                let at = start.at.saturatingAdding(
                    rising
                        ? Int64(clamping: offset.rounded(.up))
                        : Int64(clamping: offset.rounded(.down)).saturatingAdding(1))
                guard percent >= 0, at < duration else { break }
                if at >= 0, changes.last?.value != percent {
                    if changes.last?.at == at { changes.removeLast() }
                    changes.append((at, percent))
                }
                percent += rising ? 1 : -1
            }
        }
        return Timetable(changes: changes)
    }
}
