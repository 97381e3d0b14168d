// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Selects attempts. A nil or empty member selects all.
package struct HistoryFilter: Equatable, Sendable {
    package var identifier: String?
    /// Attempts that ended at this date or later.
    package var since: WallTime?
    /// Attempts that ended before this date.
    package var until: WallTime?
    /// Names of outcomes, as in `Outcome.name`.
    package var outcomes: [String]
    /// Attempts that were expired for one of these reasons.
    package var reasons: [StopReason]
    /// A word of their annotations.
    package var annotation: String?

    package init(
        identifier: String? = nil, since: WallTime? = nil, until: WallTime? = nil,
        outcomes: [String] = [], reasons: [StopReason] = [], annotation: String? = nil
    ) {
        self.identifier = identifier
        self.since = since
        self.until = until
        self.outcomes = outcomes
        self.reasons = reasons
        self.annotation = annotation
    }
}

extension Store {
    /// Up to `limit` ended attempts, the newest first: those of `identifier`, or all; those before the attempt
    /// `before`, or from the newest one on.
    package func history(
        identifier: String? = nil, limit: Int, before: Int64? = nil
    ) throws(StoreError) -> [HistoryRow] {
        try rows(
            """
            history WHERE attempt \(before == nil ? "<=" : "<") ?
                \(identifier == nil ? "" : "AND identifier = ?")
            ORDER BY attempt DESC LIMIT ?
            """,
            [.int(before ?? .max)] + (identifier.map { [.text($0)] } ?? []) + [.int(limit)])
    }

    /// Up to `limit` attempts that ended last, the newest end first: a long one may have a low number.
    package func lastEnded(limit: Int) throws(StoreError) -> [HistoryRow] {
        try rows(
            "history INDEXED BY history_ended ORDER BY ended DESC, attempt DESC LIMIT ?",
            [.int(limit)])
    }

    /// Up to `limit` attempts that match `filter`, the newest first. In a history of millions it examines only the
    /// attempts in the range of dates, or those that did not complete.
    package func history(_ filter: HistoryFilter, limit: Int) throws(StoreError) -> [HistoryRow] {
        let query = HistoryQuery(filter)
        return try rows(
            "\(query.text) ORDER BY \(query.order) LIMIT ?", query.values + [.int(limit)])
    }

    /// Calls `visit` with each attempt that matches `filter`, in any order, without keeping them.
    package func visitHistory(
        _ filter: HistoryFilter, _ visit: (HistoryRow) -> Void
    ) throws(StoreError) {
        let query = HistoryQuery(filter)
        try access { database in
            let sql = "SELECT \(HistoryRow.columns) FROM \(query.text)"
            try database.forEach(sql, query.values) { row in
                do { visit(try HistoryRow(row)) } catch { note(error, of: row, sql) }
            }
        }
    }

    /// Up to `limit` ended attempts with higher numbers than `attempt`, in order. One with a lower number may end
    /// later.
    package func ended(after attempt: Int64, limit: Int) throws(StoreError) -> [HistoryRow] {
        try rows(
            "history WHERE attempt > ? ORDER BY attempt LIMIT ?", [.int(attempt), .int(limit)])
    }

    /// The attempt with that number, if it has ended.
    package func ended(_ attempt: Int64) throws(StoreError) -> HistoryRow? {
        try rows("history WHERE attempt = ?", [.int(attempt)]).first
    }

    private func rows(_ source: String, _ values: [SQLValue]) throws(StoreError) -> [HistoryRow] {
        try fetch("SELECT \(HistoryRow.columns) FROM \(source)", values) { try HistoryRow($0) }
    }

    /// The highest number of an attempt; 0 before the first. A damaged number is recorded in `damaged` and does not
    /// count.
    package func newestAttempt() throws(StoreError) -> Int64 {
        max(try newestAttempt(in: "history"), try newestAttempt(in: "running"))
    }

    private func newestAttempt(in table: String) throws(StoreError) -> Int64 {
        let ids: [SQLValue] = [.int(Row.ids.lowerBound), .int(Row.ids.upperBound)]
        _ = try fetch(
            """
            SELECT attempt FROM \(table) WHERE attempt < ?
            UNION ALL SELECT attempt FROM \(table) WHERE attempt > ?
            LIMIT 100
            """, ids
        ) { try $0.id(0) }
        return try fetch(
            "SELECT attempt FROM \(table) WHERE attempt BETWEEN ? AND ? ORDER BY attempt DESC LIMIT 1",
            ids
        ) { try $0.id(0) }.first ?? 0
    }

    /// The earliest known submission of a request of `identifier` that has run.
    package func firstSubmitted(_ identifier: String) throws(StoreError) -> WallTime? {
        try fetch(
            "SELECT submitted FROM history WHERE identifier = ? ORDER BY attempt LIMIT 1",
            [.text(identifier)]
        ) { try $0.date(0) }.first
    }
}

/// A filter as SQL. Names the index, since SQLite keeps no statistics to choose the shortest.
struct HistoryQuery {
    /// The part after FROM, without ORDER BY.
    var text = ""
    var values: [SQLValue] = []
    var order = "ended DESC, attempt DESC"

    init(_ filter: HistoryFilter) {
        var terms: [String] = []
        func bound(_ comparison: String, _ date: WallTime?) -> String? {
            guard let date else { return nil }
            values.append(.int(date.milliseconds))
            return "ended \(comparison) ?"
        }
        terms += [bound(">=", filter.since), bound("<", filter.until)].compactMap { $0 }
        let isTrouble =
            !filter.reasons.isEmpty
            || !filter.outcomes.isEmpty && !filter.outcomes.contains(Outcome.completed.name)
        // As in the definition of the index, so that SQLite may use it.
        if isTrouble { terms.append("outcome <> 'completed'") }
        func among(_ column: String, _ words: [String]) -> String? {
            guard !words.isEmpty else { return nil }
            values += words.map { .text($0) }
            return "\(column) IN (\(words.map { _ in "?" }.joined(separator: ", ")))"
        }
        terms += [
            among("outcome", filter.outcomes), among("reason", filter.reasons.map(\.name)),
            among("identifier", filter.identifier.map { [$0] } ?? []),
        ].compactMap { $0 }
        if let word = filter.annotation {
            terms.append("instr(' ' || annotations || ' ', ?) > 0")
            values.append(.text(" \(word) "))
        }
        let index: String
        if isTrouble {
            index = "INDEXED BY history_trouble"
        } else if filter.identifier != nil {
            index = "INDEXED BY history_identifier"
            order = "attempt DESC"
        } else if filter.since != nil || filter.until != nil {
            index = "INDEXED BY history_ended"
        } else {
            index = ""
            order = "attempt DESC"
        }
        if !isTrouble, filter.identifier != nil, let since = filter.since {
            terms.append(
                """
                attempt >= (SELECT coalesce(min(attempt), 0) FROM history INDEXED BY history_ended
                    WHERE ended >= ?)
                """)
            values.append(.int(since.milliseconds))
        }
        text = "history \(index)"
        if !terms.isEmpty { text += " WHERE " + terms.joined(separator: " AND ") }
    }
}

extension HistoryRow {
    fileprivate static let columns = """
        attempt, identifier, kind, request, submitted, failures, interruptions, launched, ended, \
        duration, entered, outcome, reason, reported, code, message, worker, output_dropped, earliest, \
        result, processor, annotations
        """

    /// The columns of both running and ended attempts.
    static let ofRunning = """
        attempt, identifier, kind, request, submitted, earliest, failures, interruptions, launched, \
        worker, annotations
        """

    fileprivate init(_ row: borrowing Row) throws {
        self.init(
            attempt: try row.id(0), identifier: try row[1], kind: try TaskKind(stored: row[2]),
            request: try row.id(3), submitted: try row.date(4), earliest: try row.optionalDate(18),
            failures: try row.count(5), interruptions: try row.count(6),
            launched: try row.date(7), ended: try row.date(8),
            duration: try row.optionalLength(9), entered: try row.optionalLength(10),
            outcome: try Outcome(
                stored: row[11], reason: row[12], reported: row[13], code: row[14]),
            message: try row[15], worker: try row[16], outputDropped: try row.id(17),
            result: (try row[19] as String?).flatMap(FetchResult.init(name:)),
            processor: try row.optionalMilliseconds(20),
            annotations: try Annotations(stored: row[21]))
    }
}
