// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunPolicy
import BGRunSystem

/// Formats a line of the log for people.
enum LogText {
    /// `07:45:01 [com.example.sync] text`, or with an app `07:45:01 com.example: [com.example.sync] text`; escapes
    /// control characters in a handler's text.
    static func plain(_ line: LogLine, _ time: LogTime, app: String? = nil) -> String {
        var text = time.text(line.at)
        if let app { text += " \(app):" }
        if line.level >= .warning { text += " \(line.level):" }
        if let handler = line.handler { text += " [\(visible(handler))]" }
        return text + " " + visible(line.text)
    }

    /// The same without time and level, for readers that get both separately.
    static func untimed(_ line: LogLine, app: String? = nil) -> String {
        (app.map { "\($0): " } ?? "") + (line.handler.map { "[\(visible($0))] " } ?? "")
            + visible(line.text)
    }

    /// At most 200 characters of `visible`, for tables.
    static func short(_ text: String) -> String {
        let text = visible(text)
        return text.count > 200 ? text.prefix(199) + "…" : text
    }

    /// `text` with its control characters escaped.
    static func visible(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x09: result += "    "
            case 0x00..<0x20, 0x7F, 0x80..<0xA0: result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// The clock of a log, and its format of dates.
struct LogTime {
    var clock: any HostClock
    var text: (WallTime) -> String

    static var machine: LogTime { LogTime(clock: SystemClock(), text: \.localTimeOfDay) }
}
