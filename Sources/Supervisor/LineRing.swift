// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import CBGRunShims

/// The newest lines of an attempt that has written more than is kept.
struct LineRing {
    /// With the elapsed time of each.
    private var lines: [(line: HandlerLine, time: Int64)] = []
    /// The index of the oldest line; those before it have been dropped.
    private var oldest = 0
    private var bytes = 0

    /// The memory that the lines of one attempt may take, in bytes.
    static let mostBytes = 4 << 20

    private var count: Int { lines.count - oldest }

    /// Adds a line; drops the oldest ones at the limit.
    mutating func add(_ line: HandlerLine, at time: Int64, limit: Int) {
        guard limit > 0 else { return }
        lines.append((line, time))
        bytes += Self.size(of: line)
        while count > limit || bytes > Self.mostBytes, count > 1 {
            bytes -= Self.size(of: lines[oldest].line)
            precondition(bytes >= 0, "the lines take \(bytes) bytes")
            lines[oldest].line.text = ""
            oldest += 1
        }
        if oldest > count {
            lines.removeFirst(oldest)
            oldest = 0
        }
    }

    /// The lines at the end of an attempt with `kept` other lines; nil if there are none.
    func end(kept: Int, dropped: Int64, at now: Int64 = bgrun_boottime_ns()) -> LastLines? {
        guard count > 0 else { return nil }
        let half = Int64(kept / 2)
        return LastLines(
            replaced: half + 1...half + Int64(count),
            first: Int64(kept) + dropped - Int64(count) + 1,
            lines: lines[oldest...].map {
                LastLines.Line(line: $0.line, age: Interval(nanoseconds: max(0, now - $0.time)))
            })
    }

    /// The size of the text plus overhead.
    private static func size(of line: HandlerLine) -> Int { line.text.utf8.count + 64 }
}
