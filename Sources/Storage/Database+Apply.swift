// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSystem

extension Database {
    /// Makes one change in the open transaction.
    func apply(_ change: StoreChange) throws {
        switch change {
        case .putRequest(let request):
            try put(request)
        case .removeRequest(let identifier):
            try remove(identifier)
        case .beginAttempt(let attempt, let worker):
            try begin(attempt, worker)
        case .withdrawAttempt(let attempt):
            precondition(attempt > 0, "attempt \(attempt) is withdrawn")
            try run("DELETE FROM running WHERE attempt = ?", [.int(attempt)])
            try run("DELETE FROM output WHERE attempt = ?", [.int(attempt)])
        case .expiring(let attempt, let reason, let instant):
            let told = try run(
                "UPDATE running SET expiring = ?, expiring_at = ? WHERE attempt = ?",
                [.text(reason.name), .int(instant.wall.milliseconds), .int(attempt)])
            precondition(attempt > 0 && told <= 1, "\(told) attempts \(attempt) are told")
        case .endAttempt(let attempt, let outcome, let message, let instant, let entered, let lost):
            try end(attempt, outcome, message, instant, entered, lost)
        case .cancelAttempt(let attempt):
            precondition(attempt > 0, "attempt \(attempt) is cancelled")
            try remember("cancelled:\(attempt)", 1)
        case .putCheckpoint(let identifier, let version, let data):
            precondition(!identifier.isEmpty, "a checkpoint of no task is stored")
            try run(
                """
                INSERT INTO checkpoint (identifier, version, data) VALUES (?, ?, ?)
                ON CONFLICT DO UPDATE SET version = excluded.version, data = excluded.data
                """,
                [.text(identifier), .int(version), .bytes(data)])
        case .removeCheckpoint(let identifier):
            try run("DELETE FROM checkpoint WHERE identifier = ?", [.text(identifier)])
        case .remember(let facts):
            for fact in facts { try remember("app:" + fact.name, fact.value) }
        case .output(let attempt, let stream, let text, let time):
            precondition(attempt > 0, "a line of attempt \(attempt) is stored")
            try add(
                """
                INSERT INTO output (attempt, line, stream, at, text)
                SELECT ?1, coalesce(max(line), 0) + 1, ?2, ?3, ?4 FROM output WHERE attempt = ?1
                """,
                [.int(attempt), .text(stream.rawValue), .int(time.milliseconds), .text(text)])
        case .lastOutput(let attempt, let replaced, let lines):
            try end(outputOf: attempt, replaced, lines)
        case .event(let line):
            precondition(!line.kind.isEmpty, "a line of no kind is stored")
            try add(
                """
                INSERT INTO event (at, elapsed, kind, identifier, attempt, text)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                [
                    .int(line.at.wall.milliseconds), .int(line.at.elapsed), .text(line.kind),
                    .text(line.identifier), .int(line.attempt), .text(line.text),
                ])
        case .putFiring(let firing):
            precondition(firing.id > 0 && !firing.hook.isEmpty, "hook \(firing.id) is stored")
            try add(
                "INSERT INTO firing (id, hook, event) VALUES (?, ?, ?)",
                [.int(firing.id), .text(firing.hook), .text(firing.event)])
        case .removeFiring(let id):
            try run("DELETE FROM firing WHERE id = ?", [.int(id)])
        case .rememberOfHooks(let name, let value):
            try remember("hook:" + name, value)
        case .rememberVisit(let plugin, let date):
            try remember("visit:" + plugin, date.milliseconds)
        case .holdPush(let message):
            try hold(message)
        case .dropPush(let id):
            try run("DELETE FROM push WHERE id = ?", [.int(id)])
        case .processorTime(let attempt, let milliseconds):
            precondition(attempt > 0 && milliseconds >= 0, "\(attempt) took \(milliseconds) ms")
            try run(
                "UPDATE history SET processor = ? WHERE attempt = ?",
                [.int(milliseconds), .int(attempt)])
        case .fetched(let attempt, let result):
            try run(
                "UPDATE history SET result = ? WHERE attempt = ?",
                [.text(result.name), .int(attempt)])
        case .nextPush(let id):
            precondition(id > 0, "the next push is \(id)")
            try remember("next-push", id)
        }
    }

    /// Adds one row.
    private func add(_ sql: String, _ values: [SQLValue]) throws {
        let count = try run(sql, values)
        precondition(count == 1, "\(count) rows were added: \(sql)")
    }

    private func end(
        outputOf attempt: Int64, _ replaced: ClosedRange<Int64>, _ lines: [NumberedLine]
    ) throws {
        precondition(
            attempt > 0 && replaced.lowerBound > 0
                && zip(lines, lines.dropFirst()).allSatisfy { $0.number < $1.number },
            "the last lines of attempt \(attempt) are out of order")
        try run(
            "DELETE FROM output WHERE attempt = ? AND line BETWEEN ? AND ?",
            [.int(attempt), .int(replaced.lowerBound), .int(replaced.upperBound)])
        // `at` is the date of the row with the highest line. A line is not older than the previous one: lines of
        // several attempts are sorted by date.
        for line in lines {
            try add(
                """
                INSERT INTO output (attempt, line, stream, at, text)
                SELECT ?1, max(?2, coalesce(max(line), 0) + 1), ?3, max(?4, coalesce(at, ?4)), ?5
                FROM output WHERE attempt = ?1
                """,
                [
                    .int(attempt), .int(line.number), .text(line.line.stream.rawValue),
                    .int(line.line.at.milliseconds), .text(line.line.text),
                ])
        }
    }

    private func hold(_ message: PushMessage) throws {
        precondition(
            message.id > 0 && message.request > 0, "push \(message.id) is held for no request")
        try add(
            """
            INSERT INTO push
                (id, identifier, payload, collapse_id, priority, received, expires, request)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .int(message.id), .text(message.identifier), .text(message.payload),
                .text(message.collapseID), .int(message.priority),
                .int(message.received.milliseconds), .int(message.expires?.milliseconds),
                .int(message.request),
            ])
    }

    /// Stores a fact; nil removes it.
    func remember(_ name: String, _ value: Int64?) throws {
        guard let value else {
            try run("DELETE FROM fact WHERE name = ?", [.text(name)])
            return
        }
        try run(
            """
            INSERT INTO fact (name, value) VALUES (?, ?)
            ON CONFLICT DO UPDATE SET value = excluded.value
            """,
            [.text(name), .int(value)])
    }

    private func put(_ request: TaskRequest) throws {
        precondition(
            Row.ids.contains(request.id) && request.id > 0, "request \(request.id) is stored")
        precondition(
            request.failures >= 0 && request.interruptions >= 0, "request \(request.id) has failed")
        try add(
            """
            INSERT INTO request
                (id, \(TaskRequest.columns))
            VALUES (?, \(TaskRequest.placeholders))
            ON CONFLICT (identifier) DO UPDATE SET id = excluded.id, \(TaskRequest.replacements)
            """,
            [.int(request.id)] + request.values)
    }

    private func remove(_ identifier: String) throws {
        let removed = try run("DELETE FROM request WHERE identifier = ?", [.text(identifier)])
        precondition(removed <= 1, "\(removed) requests of one identifier were pending")
    }

    private func begin(_ attempt: Attempt, _ worker: ProcessIdentity?) throws {
        precondition(
            Row.ids.contains(attempt.id) && attempt.id > 0, "attempt \(attempt.id) is stored")
        precondition(worker.map { $0.pid > 0 } ?? true, "attempt \(attempt.id) has no process")
        try remove(attempt.request.identifier)
        try add(
            """
            INSERT INTO running
                (attempt, declaration, launched, launched_elapsed, deadline_elapsed,
                worker, worker_started, worker_boot, request, \(TaskRequest.columns))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, \(TaskRequest.placeholders))
            """,
            [
                .int(attempt.id), .text(attempt.declaration),
                .int(attempt.launched.wall.milliseconds), .int(attempt.launched.elapsed),
                .int(attempt.deadlineElapsed), .int(worker?.pid),
                .int(worker?.startTicks), .text(worker?.bootID),
                .int(attempt.request.id),
            ] + attempt.request.values)
        guard attempt.declaration == attempt.request.identifier else { return }
        try remember(
            "launch:\(attempt.request.identifier)", attempt.launched.wall.milliseconds)
    }

    private func end(
        _ attempt: Int64, _ outcome: Outcome, _ message: String?, _ instant: Instant,
        _ entered: Interval?, _ outputDropped: Int64
    ) throws {
        precondition(
            attempt > 0 && outputDropped >= 0, "attempt \(attempt) lost \(outputDropped) lines")
        precondition(
            entered.map { $0 >= .zero } ?? true, "attempt \(attempt) was entered before its launch")
        // An interrupted attempt may have been launched before the last boot, when the elapsed clock restarted: its
        // running time is unknown.
        let elapsed = outcome == .interrupted ? nil : instant.elapsed
        let moved = try run(
            """
            INSERT INTO history
                (\(HistoryRow.ofRunning), ended, duration, entered, outcome, reason, reported, code,
                message, output_dropped)
            SELECT \(HistoryRow.ofRunning), ?, ? - launched_elapsed, ?, ?, ?, ?, ?, ?, ?
            FROM running WHERE attempt = ?
            """,
            [.int(instant.wall.milliseconds), .int(elapsed), .int(entered?.nanoseconds)]
                + outcome.values + [.text(message), .int(outputDropped), .int(attempt)])
        guard moved == 1 else { throw StoreError.notRunning(attempt: attempt) }
        if outcome == .interrupted { try remember("cancelled:\(attempt)", nil) }
        let removed = try run("DELETE FROM running WHERE attempt = ?", [.int(attempt)])
        precondition(removed == 1, "\(removed) attempts \(attempt) were running")
    }
}
