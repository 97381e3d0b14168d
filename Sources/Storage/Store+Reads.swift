// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSystem

extension Store {
    /// Up to `limit` pending requests, sorted by the bytes of their identifiers, starting after the identifier `after`.
    package func pending(after: String = "", limit: Int) throws(StoreError) -> [TaskRequest] {
        try requests("identifier > ? ORDER BY identifier LIMIT ?", [.text(after), .int(limit)])
    }

    /// The number of pending requests of `kind`, or of all kinds. Takes constant time.
    package func pendingCount(kind: TaskKind? = nil) throws(StoreError) -> Int {
        if let kind { return Int(try fact("pending:\(kind.name)")) }
        // Not by SQLite, which refuses a sum that overflows.
        var counts: [Int] = []
        for kind in TaskKind.allCases { counts.append(try pendingCount(kind: kind)) }
        return counts.saturatingSum
    }

    /// The number of pending requests of a task: of its identifier, or of all that a wildcard handles. Counts only up
    /// to 100,000.
    package func pendingCount(of task: String) throws(StoreError) -> Int {
        guard task.hasSuffix(".*") else { return try request(task) == nil ? 0 : 1 }
        // "/" is the character after ".".
        let prefix = task.dropLast(2)
        return try fetch(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM request WHERE identifier > ? AND identifier < ? LIMIT 100000)
            """,
            [.text("\(prefix)."), .text("\(prefix)/")]
        ) { try $0[0] as Int }.first ?? 0
    }

    /// The pending request of `identifier`.
    package func request(_ identifier: String) throws(StoreError) -> TaskRequest? {
        try requests("identifier = ?", [.text(identifier)]).first
    }

    private func requests(
        _ condition: String, _ values: [SQLValue]
    ) throws(StoreError) -> [TaskRequest] {
        try fetch("SELECT id, \(TaskRequest.columns) FROM request WHERE \(condition)", values) {
            try TaskRequest(id: $0.ordinal(0), $0, from: 1)
        }
    }

    /// Attempts whose end is not recorded, in the order of their launch.
    package func running() throws(StoreError) -> [RunningRow] {
        try fetch(
            """
            SELECT attempt, declaration, launched, launched_elapsed, deadline_elapsed, request,
                worker, worker_started, worker_boot, expiring, expiring_at, \(TaskRequest.columns)
            FROM running ORDER BY attempt
            """
        ) { try RunningRow($0) }
    }

    /// Up to `limit` events in order, starting after the event `after`.
    package func events(after: Int64 = 0, limit: Int) throws(StoreError) -> [StoredEvent] {
        try events("event WHERE id > ? ORDER BY id LIMIT ?", [.int(after), .int(limit)])
    }

    /// The last events of `identifier`, in order. Examines only the last 10,000 events of all, so that it is fast in a
    /// long history.
    package func lastEvents(
        of identifier: String, limit: Int
    ) throws(StoreError) -> [StoredEvent] {
        try events(
            """
            (SELECT * FROM event ORDER BY id DESC LIMIT 10000)
            WHERE identifier IN (?, '') ORDER BY id DESC LIMIT ?
            """,
            [.text(identifier), .int(limit)]
        ).reversed()
    }

    /// The number of skipped dates of each identifier between two dates, and the last one.
    package func missedDates(
        since: WallTime, until: WallTime
    ) throws(StoreError) -> [(identifier: String, count: Int, last: WallTime)] {
        try fetch(
            """
            SELECT identifier, count(*), max(at) FROM event
            WHERE kind = 'missed' AND at >= ? AND at < ? GROUP BY identifier ORDER BY identifier
            """, [.int(since.milliseconds), .int(until.milliseconds)]
        ) { (try $0[0] as String, try $0.count(1), try $0.date(2)) }
    }

    private func events(
        _ source: String, _ values: [SQLValue]
    ) throws(StoreError) -> [StoredEvent] {
        let columns = "id, at, elapsed, kind, identifier, attempt, text"
        return try fetch("SELECT \(columns) FROM \(source)", values) {
            StoredEvent(
                id: try $0.id(0),
                line: EventLine(
                    at: Instant(elapsed: try $0[2], wall: try $0.date(1)), kind: try $0[3],
                    identifier: try $0[4], attempt: try $0[5], text: try $0[6]))
        }
    }

    /// The identifiers whose handlers have stored a checkpoint.
    package func checkpointed() throws(StoreError) -> Set<String> {
        Set(try fetch("SELECT identifier FROM checkpoint") { try $0[0] as String })
    }

    /// The last checkpoint of the handler of `identifier`.
    package func checkpoint(_ identifier: String) throws(StoreError) -> Checkpoint? {
        try fetch("SELECT version, data FROM checkpoint WHERE identifier = ?", [.text(identifier)])
        {
            Checkpoint(version: try $0[0], data: try $0[1])
        }.first
    }

    /// The id of the next request; ids are never reused.
    package func nextRequestID() throws(StoreError) -> Int64 {
        max(1, try fact("next-request"))
    }

    /// A named counter of the store; 0 if it is missing or out of range.
    func fact(_ name: String) throws(StoreError) -> Int64 {
        try fetch("SELECT value FROM fact WHERE name = ?", [.text(name)]) { try $0.id(0) }.first
            ?? 0
    }

    /// The facts whose names begin with `kind` and a colon, with the rest of their names.
    func facts(_ kind: String) throws(StoreError) -> [(String, Int64)] {
        // ";" is the character after ":".
        try fetch(
            "SELECT substr(name, ?), value FROM fact WHERE name > ? AND name < ?",
            [.int(kind.utf8.count + 2), .text("\(kind):"), .text("\(kind);")]
        ) { (try $0[0], try $0[1]) }
    }

    /// The result of `read` for each row. A row that it cannot read is skipped and recorded in `damaged`.
    func fetch<Value>(
        _ sql: String, _ values: [SQLValue] = [], _ read: (borrowing Row) throws -> Value
    ) throws(StoreError) -> [Value] {
        try access { database in
            var found: [Value] = []
            try database.forEach(sql, values) { row in
                do { found.append(try read(row)) } catch { note(error, of: row, sql) }
            }
            return found
        }
    }

    /// Records a row that cannot be read; `sql` names one table, after the first FROM.
    func note(_ error: any Error, of row: borrowing Row, _ sql: String) {
        let words = sql.split(whereSeparator: \.isWhitespace)
        let table = words.firstIndex(of: "FROM").map { words.index(after: $0) }
            .flatMap { $0 < words.endIndex ? String(words[$0]) : nil }
        let row = DamagedRow(path: path, table: table ?? "", row: row.place, detail: "\(error)")
        if damaged.insert(row).inserted { foundDamage?(row) }
    }
}

extension RunningRow {
    fileprivate init(_ row: borrowing Row) throws {
        attempt = Attempt(
            id: try row.ordinal(0), request: try TaskRequest(id: row.ordinal(5), row, from: 11),
            declaration: try row[1], deadlineElapsed: try row[4],
            launched: Instant(elapsed: try row[3], wall: try row.date(2)))
        if let pid = try row[6] as Int32?, let ticks = try row[7] as Int64?,
            let boot = try row[8] as String?
        {
            worker = ProcessIdentity(pid: pid, startTicks: ticks, bootID: boot)
        }
        if let reason = try row[9] as String?, let date = try row.optionalDate(10) {
            expiring = Expiring(reason: try StopReason(stored: reason), at: date)
        }
    }
}
