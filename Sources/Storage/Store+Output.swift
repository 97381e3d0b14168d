// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// A stored line of output with its number within the attempt, from 1 on.
package struct NumberedLine: Equatable, Sendable {
    package var number: Int64
    package var line: OutputLine
    /// The number of lines right before this one that were not kept.
    package var skipped: Int64 = 0

    package init(number: Int64, line: OutputLine) {
        self.number = number
        self.line = line
    }
}

/// Notes about missing lines of output.
package enum OutputGap {
    /// The note in place of `lines` lines; nil if none is missing.
    package static func note(_ lines: Int64) -> String? {
        guard lines > 0 else { return nil }
        return lines == 1
            ? "... 1 line was not kept (output_lines) ..."
            : "... \(lines) lines were not kept (output_lines) ..."
    }
}

extension [NumberedLine] {
    /// The number of lines missing after the last one, if `dropped` were not kept in total.
    package func skippedAfterLast(dropped: Int64) -> Int64 {
        Swift.max(0, dropped - reduce(0) { $0 + $1.skipped })
    }
}

extension Store {
    /// The stored output of an attempt, in order.
    package func output(attempt: Int64) throws(StoreError) -> [OutputLine] {
        try output(attempt: attempt, after: 0).map(\.line)
    }

    /// The last lines that an attempt has written, at most `limit`, in order.
    package func lastOutput(attempt: Int64, limit: Int) throws(StoreError) -> [String] {
        try fetch(
            "SELECT text FROM output WHERE attempt = ? ORDER BY line DESC LIMIT ?",
            [.int(attempt), .int(limit)]
        ) { try $0[0] as String }.reversed()
    }

    /// The lines of an attempt after the line `number`, in order.
    package func output(
        attempt: Int64, after number: Int64
    ) throws(StoreError) -> [NumberedLine] {
        var lines = try fetch(
            """
            SELECT line, stream, at, text FROM output
            WHERE attempt = ? AND line > ? ORDER BY line
            """, [.int(attempt), .int(number)]
        ) {
            NumberedLine(
                number: try $0.id(0),
                line: OutputLine(
                    stream: try OutputStream(stored: $0[1]), at: try $0.date(2),
                    text: try $0[3]))
        }
        var last = number
        for index in lines.indices {
            lines[index].skipped = max(
                0, lines[index].number.saturatingSubtracting(last).saturatingSubtracting(1))
            last = lines[index].number
        }
        return lines
    }

    /// Up to `limit` attempts with output, the newest first, starting before the attempt `before`.
    package func attemptsWithOutput(
        before: Int64 = .max, limit: Int
    ) throws(StoreError) -> [Int64] {
        // One lookup for each attempt: the lines between are skipped.
        try fetch(
            """
            WITH RECURSIVE written(attempt) AS (
                SELECT max(attempt) FROM output WHERE attempt < ?
                UNION ALL
                SELECT (SELECT max(attempt) FROM output WHERE attempt < written.attempt)
                FROM written WHERE written.attempt IS NOT NULL)
            SELECT attempt FROM written WHERE attempt IS NOT NULL LIMIT ?
            """, [.int(before), .int(limit)]
        ) { try $0.id(0) }
    }

    /// The lowest and the highest number of the running and ended attempts; nil without attempts.
    package func knownAttempts() throws(StoreError) -> ClosedRange<Int64>? {
        let newest = try newestAttempt()
        guard newest > 0 else { return nil }
        var oldest = newest
        for table in ["history", "running"] {
            let first = try fetch(
                "SELECT attempt FROM \(table) WHERE attempt BETWEEN 1 AND ? ORDER BY attempt LIMIT 1",
                [.int(newest)]
            ) { try $0.id(0) }.first
            oldest = min(oldest, first ?? newest)
        }
        return oldest...newest
    }

    /// The identifier of a running or ended attempt.
    package func identifier(ofAttempt attempt: Int64) throws(StoreError) -> String? {
        try fetch(
            """
            SELECT identifier FROM history WHERE attempt = ?1
            UNION ALL SELECT identifier FROM running WHERE attempt = ?1
            """, [.int(attempt)]
        ) { try $0[0] as String }.first
    }
}
