// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunStorage

extension OutputLine {
    /// The line in JSON.
    /// - Parameter skipped: The number of dropped lines right before it.
    func json(
        skipped: Int64 = 0, of identifier: String? = nil, attempt: Int64? = nil
    ) -> JSONValue {
        .members([
            "time": .string(at.utcText), "identifier": identifier.map(JSONValue.string),
            "attempt": attempt.map(JSONValue.integer), "stream": .string(stream.rawValue),
            "text": .string(text), "skipped": skipped > 0 ? .integer(skipped) : nil,
        ])
    }
}

/// Reads the lines of an app's attempts in the order of writing, and continues at the last position. Each
/// call must see the store at one instant (`Store.snapshot`).
struct OutputReader {
    /// A line with the attempt that wrote it.
    struct Written {
        var identifier: String
        var attempt: Int64
        var number: Int64
        var line: OutputLine
        /// The number of dropped lines right before it.
        var skipped: Int64
    }

    let identifier: String?
    let attempt: Int64?
    let since: WallTime?
    /// The last line that was read, by attempt that may write more.
    private(set) var read: [Int64: Int64] = [:]
    /// The newest attempt that was seen.
    private(set) var newest: Int64 = 0

    /// The newest `limit` lines.
    mutating func last(_ limit: Int, of store: Store) throws(StoreError) -> [Written] {
        newest = try store.newestAttempt()
        let running = Set(try store.running().map(\.attempt.id))
        var lines: [Written] = []
        var oldest = Int64.max
        search: while lines.count < limit {
            let attempts: [Int64]
            if let attempt {
                attempts = oldest == .max ? [attempt] : []
            } else {
                attempts = try store.attemptsWithOutput(before: oldest, limit: 64)
            }
            if attempts.isEmpty { break }
            for number in attempts {
                oldest = number
                if try isOver(number, in: store) { break search }
                lines += try new(of: number, after: 0, in: store)
                if lines.count >= limit { break }
            }
        }
        lines = Array(lines.sorted(by: Self.isBefore).suffix(limit))
        for number in running {
            read[number] = try store.output(attempt: number, after: 0).last?.number ?? 0
        }
        return lines
    }

    /// The lines written since the last call.
    mutating func next(of store: Store) throws(StoreError) -> [Written] {
        let highest = try store.newestAttempt()
        let running = Set(try store.running().map(\.attempt.id))
        var attempts = Set(read.keys).union(running)
        if highest > newest { attempts.formUnion(try written(after: newest, in: store)) }
        newest = max(newest, highest)
        var lines: [Written] = []
        for number in attempts.sorted() where attempt ?? number == number {
            let found = try new(of: number, after: read[number] ?? 0, in: store)
            lines += found
            read[number] = running.contains(number) ? found.last?.number ?? read[number] ?? 0 : nil
        }
        return lines.sorted(by: Self.isBefore)
    }

    private static func isBefore(_ left: Written, _ right: Written) -> Bool {
        (left.line.at, left.attempt, left.number) < (right.line.at, right.attempt, right.number)
    }

    private func written(after number: Int64, in store: Store) throws(StoreError) -> [Int64] {
        var found: [Int64] = []
        while true {
            let page = try store.attemptsWithOutput(before: found.last ?? .max, limit: 64)
            found += page.prefix { $0 > number }
            guard page.count == 64, page.last ?? 0 > number else { return found }
        }
    }

    /// Whether all its lines, and all earlier ones, are too old.
    private func isOver(_ number: Int64, in store: Store) throws(StoreError) -> Bool {
        guard let since, let row = try store.ended(number) else { return false }
        // An attempt that was launched before may have ended later, usually by at most a day.
        return row.ended.advanced(by: .days(1)) < since
    }

    private func new(
        of number: Int64, after last: Int64, in store: Store
    ) throws(StoreError) -> [Written] {
        guard let name = try store.identifier(ofAttempt: number), identifier ?? name == name
        else { return [] }
        return try store.output(attempt: number, after: last).filter {
            since.map { [at = $0.line.at] in at >= $0 } ?? true
        }.map {
            Written(
                identifier: name, attempt: number, number: $0.number, line: $0.line,
                skipped: $0.skipped)
        }
    }
}
