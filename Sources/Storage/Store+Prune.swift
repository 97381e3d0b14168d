// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

extension Store {
    /// Removes old attempts, with their output, and old events from the store, a part per call: examines at most about
    /// `rows` rows. True: there is more to do, call again.
    ///
    /// An attempt is old if it ended before `date` and is not among the newest `keepAttempts` of its identifier; an
    /// event if it happened before `date`. Running attempts, pending requests and checkpoints are never removed. The
    /// newest attempt and the newest event always stay, so that their ids are never reused.
    ///
    /// - Parameter timeout: How long to block while another program writes; nil: the default.
    package func prune(
        keepAttempts: Int, olderThan date: WallTime, rows: Int = 500, timeout: Interval? = nil
    ) throws(StoreError) -> Bool {
        var budget = rows
        var cursor = pruneCursor
        try checkFiles()
        let isDone = try accessToWrite(timeout: timeout) { database in
            try database.transaction {
                let eventsDone = try database.pruneEvents(olderThan: date, &budget)
                let attemptsDone = try database.pruneAttempts(
                    after: &cursor, keep: keepAttempts, olderThan: date, &budget)
                return eventsDone && attemptsDone
            }
        }
        pruneCursor = isDone ? 0 : cursor
        return !isDone
    }
}

extension Database {
    /// Events are written in the order of their dates, so the old ones come first.
    fileprivate func pruneEvents(olderThan date: WallTime, _ budget: inout Int) throws -> Bool {
        let share = max(1, budget / 2)
        let removed = try run(
            """
            DELETE FROM event WHERE id IN (SELECT id FROM event ORDER BY id LIMIT ?)
                AND at < ? AND id < (SELECT max(id) FROM event)
            """,
            [.int(share), .int(date.milliseconds)])
        budget -= removed
        return removed < share
    }

    /// Continues after the attempt `cursor`, until one that was launched too late to be old.
    fileprivate func pruneAttempts(
        after cursor: inout Int64, keep: Int, olderThan date: WallTime, _ budget: inout Int
    ) throws -> Bool {
        while budget > 0 {
            let next = try first(
                """
                SELECT attempt, identifier, ended < ?2, launched < ?2 FROM history
                WHERE attempt > ?1 AND attempt < (SELECT max(attempt) FROM history)
                ORDER BY attempt LIMIT 1
                """, [.int(cursor), .int(date.milliseconds)]
            ) { row in
                (
                    attempt: try row[0] as Int64, identifier: try row[1] as String,
                    hasEnded: try row[2] as Bool, isOld: try row[3] as Bool
                )
            }
            guard let next, next.isOld else { return true }
            budget -= 1
            if next.hasEnded, try !isKept(next.attempt, of: next.identifier, keep: keep) {
                guard try remove(next.attempt, &budget) else { return false }
            }
            cursor = next.attempt
        }
        return false
    }

    private func isKept(_ attempt: Int64, of identifier: String, keep: Int) throws -> Bool {
        let newer: Int? = try value(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM history WHERE identifier = ? AND attempt > ? LIMIT ?)
            """, [.text(identifier), .int(attempt), .int(keep)])
        return newer ?? 0 < keep
    }

    /// Removes an attempt once its output is removed; false: output remains for the next call.
    private func remove(_ attempt: Int64, _ budget: inout Int) throws -> Bool {
        let share = max(1, budget)
        let lines = try run(
            """
            DELETE FROM output WHERE attempt = ?1
                AND line IN (SELECT line FROM output WHERE attempt = ?1 ORDER BY line LIMIT ?2)
            """,
            [.int(attempt), .int(share)])
        budget -= lines
        guard lines < share else { return false }
        try run("DELETE FROM history WHERE attempt = ?", [.int(attempt)])
        return true
    }
}
