// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// A duration for people: its two largest units, `3d 4h`, `2m 5s`, `1.250s`.
package func timeText(_ nanoseconds: Int64) -> String {
    let milliseconds = nanoseconds.saturatingAdding(500_000) / 1_000_000
    if milliseconds < 1_000 { return "\(milliseconds)ms" }
    if milliseconds < 10_000, milliseconds % 1_000 != 0 {
        return "\(milliseconds / 1_000).\((milliseconds % 1_000).digits(3))s"
    }
    let seconds = (milliseconds + 500) / 1_000
    let units: [(Int64, String)] = [(86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")]
    for (index, (scale, unit)) in units.enumerated() where seconds >= scale {
        guard index + 1 < units.count else { return "\(seconds)\(unit)" }
        let (nextScale, next) = units[index + 1]
        let rest = seconds % scale / nextScale
        return "\(seconds / scale)\(unit)" + (rest == 0 ? "" : " \(rest)\(next)")
    }
    return "0s"
}

/// Rounded to a multiple of 1/`scale` (1, 10 or 100), without trailing zeros.
func numberText(_ value: Double, scale: Double = 100) -> String {
    let rounded = (value * scale).rounded() / scale
    return rounded == rounded.rounded() ? "\(Int64(clamping: rounded))" : "\(rounded)"
}

extension Metric {
    func text(_ value: Double?) -> String {
        guard let value else { return "-" }
        return unit == .time ? timeText(Int64(clamping: value)) : numberText(value)
    }
}
