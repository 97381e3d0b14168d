// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunPolicy

/// The last attempts as bars, the newest at the right, in the colours of their outcomes.
struct RunChart {
    enum Value {
        case ran, late
    }

    /// The newest first.
    let runs: [Run]
    let app: String
    let value: Value

    private static let count = 60

    var html: HTML {
        let shown = Array(runs.prefix(Self.count).reversed())
        guard let longest = shown.map(length).max() else {
            return Pieces.soft("No attempt has ended yet.")
        }
        let width = 100.0 / Double(max(20, shown.count))
        let bars: [HTML] = shown.enumerated().map { index, run in
            let part = Double(length(run)) / Double(max(1, longest))
            let height = max(2, Int(clamping: (part * 84).rounded()))
            let x = (Double(index) * width).tenths
            return """
                <a href="\(Place.attempt(app, run.attempt))" tabindex="-1">\
                <rect class="\(OutcomeStyle(run.outcome.name).rawValue)" x="\(x)%" y="\(88 - height)" \
                width="\((width * 0.8).tenths)%" height="\(height)" rx="1"><title>attempt \(run.attempt) \
                \(run.outcome.name): \(Dates.length(length(run)))</title></rect></a>
                """
        }
        return """
            <svg class="chart" role="img" aria-label="The last \(shown.count) attempts">\
            <line class="grid" x1="0" x2="100%" y1="88" y2="88"/>\(bars)</svg>
            <div class="line soft"><span>the last \(shown.count) attempts</span>\
            <span>longest \(Dates.length(longest))</span></div>\(histogram(shown))
            """
    }

    /// The distribution of durations, in classes of growing width.
    private func histogram(_ shown: [Run]) -> HTML? {
        let bounds: [(Int64, String)] = [
            (1_000, "under 1 s"), (10_000, "under 10 s"), (60_000, "under 1 min"),
            (600_000, "under 10 min"), (3_600_000, "under 1 h"), (21_600_000, "under 6 h"),
            (86_400_000, "under 1 day"), (.max, "longer"),
        ]
        var below: Int64 = -1
        let rows: [HTML] = bounds.compactMap { bound, name in
            let count = shown.count { length($0) > below && length($0) <= bound }
            below = bound
            guard count > 0 else { return nil }
            return """
                <li class="line"><span>\(name)</span>\(Pieces.bar(Int64(count), of: Int64(shown.count)))\
                <span class="soft">\(count)</span></li>
                """
        }
        return "<ul class=\"plain bars\">\(rows)</ul>"
    }

    private func length(_ run: Run) -> Int64 {
        switch value {
        case .ran: (run.duration?.nanoseconds ?? 0) / 1_000_000
        case .late: run.late
        }
    }
}
