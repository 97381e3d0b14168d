// SPDX-License-Identifier: Apache-2.0

extension Character {
    /// The columns it takes on a terminal: 0, 1, or 2 for East Asian wide characters and emoji.
    var displayWidth: Int {
        unicodeScalars.map(\.displayWidth).max() ?? 0
    }
}

extension Unicode.Scalar {
    fileprivate var displayWidth: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: 0
        default: properties.isEmojiPresentation || isEastAsianWide ? 2 : 1
        }
    }

    /// East_Asian_Width W or F (UAX #11), by block.
    private var isEastAsianWide: Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
            0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1B000...0x1B2FF,
            0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
