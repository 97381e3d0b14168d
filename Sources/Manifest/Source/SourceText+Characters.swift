// SPDX-License-Identifier: Apache-2.0

extension SourceText {
    /// Reports the first character of the file that is not UTF-8, or that YAML does not allow; false if there is one.
    func hasValidCharacters(_ bag: DiagnosticBag) -> Bool {
        var rest = bytes.dropFirst(prefixLength)
        if rest.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x0A }) { return true }
        var line = 1
        var column = 1
        while let first = rest.first {
            let mark = SourceMark(line: line, column: column)
            let span = SourceSpan(start: mark, end: mark)
            guard let scalar = Self.firstScalar(of: rest) else {
                bag.error(
                    .invalidUTF8, at: span, "these bytes are not UTF-8",
                    help: "save the file as UTF-8")
                return false
            }
            guard Self.isAllowed(scalar) else {
                let number = String(scalar.value, radix: 16, uppercase: true)
                bag.error(
                    .controlCharacter, at: span,
                    "YAML does not allow the character U+\(number) here",
                    help: "drop it, or write it as an escape in double quotes")
                return false
            }
            let breakLength = Self.lineBreakLength(rest.prefix(3))
            if breakLength > 0 {
                (line, column) = (line + 1, 1)
            } else {
                column += 1
            }
            rest = rest.dropFirst(max(breakLength, first < 0x80 ? 1 : UTF8.width(scalar)))
        }
        return true
    }

    private static func firstScalar(of bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
        if let first = bytes.first, first < 0x80 { return Unicode.Scalar(first) }
        var decoder = UTF8()
        var iterator = bytes.prefix(4).makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
        return scalar
    }

    /// YAML 1.2, production 1 (c-printable), without the byte order mark.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x85, 0xA0...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD,
            0x10000...0x10FFFF:
            true
        default: false
        }
    }
}
