// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunHost
import BGRunManifest
import BGRunPolicy

/// One running attempt in one row: `Copying photos [#####-----]  47%  12s left  IMG_0042.jpg`.
struct ProgressRow {
    let view: RunningView
    let now: Instant

    func text(width: Int) -> String {
        let name = LogText.visible(view.title ?? view.attempt.request.identifier)
        var parts = [name]
        if let fraction = view.fraction {
            parts.append(ByteText.cells(fraction, of: 20))
            parts.append("\(ByteText.percent(fraction))%".aligned(to: 4))
        } else if view.completed > 0 {
            parts.append("\(view.completed)")
        }
        if let reason = view.expiring {
            parts.append("expiring: \(reason.name)")
        } else if let remaining {
            parts.append("\(remaining.text) left")
        }
        if let subtitle = view.subtitle { parts.append(LogText.visible(subtitle)) }
        return String(parts.joined(separator: "  ").prefix(width - 1))
    }

    /// The remaining time at the average pace so far.
    private var remaining: Interval? {
        guard let fraction = view.fraction, fraction > 0, fraction < 1 else { return nil }
        let past = Double(now.elapsed.saturatingSubtracting(view.attempt.launched.elapsed))
        let left = past * (1 - fraction) / fraction / 1_000_000_000
        guard left.isFinite, left < 1e9 else { return nil }
        return .seconds(Int64(clamping: left.rounded(.up)))
    }
}
