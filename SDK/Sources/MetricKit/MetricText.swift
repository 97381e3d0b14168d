// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The values of a payload in the format of Apple's JSON, in English.
enum MetricText {
    /// For example "1,234.5 sec", to the millisecond.
    static func seconds(_ value: Double) -> String {
        let milliseconds = Int((value * 1000).rounded())
        var fraction = String(String(1000 + milliseconds % 1000).dropFirst())
        while fraction.hasSuffix("0") { fraction.removeLast() }
        let whole = grouped(milliseconds / 1000)
        return (fraction.isEmpty ? whole : whole + "." + fraction) + " sec"
    }

    /// In kB, 1000 bytes: for example "200,000 kB".
    static func kilobytes(kibibytes: Int) -> String {
        grouped(Int((Double(kibibytes) * 1.024).rounded())) + " kB"
    }

    /// In UTC: for example "2026-03-01 00:00:00 +0000".
    static func date(_ date: Date) -> String {
        date.formatted(
            Date.ISO8601FormatStyle(
                dateSeparator: .dash, dateTimeSeparator: .space, timeSeparator: .colon)
        )
        .replacing("Z", with: " +0000")
    }

    static func json(_ object: [String: any Sendable]) -> Data {
        let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys]
        return (try? JSONSerialization.data(withJSONObject: object, options: options)) ?? Data()
    }

    /// The object of a JSON text.
    static func dictionary(_ json: Data) -> [AnyHashable: Any] {
        let object = try? JSONSerialization.jsonObject(with: json)
        return object as? [String: Any] ?? [:]
    }

    /// With thousands separators.
    private static func grouped(_ value: Int) -> String {
        let digits = String(value)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return text
    }
}

/// The versions of the app in its main bundle; empty if missing.
enum AppVersion {
    static var short: String { value("CFBundleShortVersionString") }
    static var build: String { value("CFBundleVersion") }

    private static func value(_ key: String) -> String {
        Bundle.main.object(forInfoDictionaryKey: key) as? String ?? ""
    }
}
