// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import FoundationEssentials

extension Transfer {
    static let columns = """
        id, name, request, submitted, wanted, delivered, bytes, total, running, began, failures, \
        retry_at, failure, problem, status, validator, tag, synced, boot, file, headers, result, \
        finished, spent, counted, counted_boot, resumed
        """

    init(_ row: borrowing Row) throws {
        let request = try JSONDecoder().decode(
            TransferRequest.self, from: Data((try row[2] as String).utf8))
        self.init(
            id: try row[0], request: request, name: try row[1],
            submitted: try row.date(3).clamped,
            wanted: try Wanted(stored: row[4]), isDelivered: try row[5],
            progress: try TransferProgress(row, from: 6))
    }
}

extension TransferRequest {
    func stored() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

extension TransferProgress {
    /// Every column of the service, each with its value.
    static let assignments = Transfer.columns.split(separator: ", ").dropFirst(6)
        .map { "\($0) = ?" }.joined(separator: ", ")

    var values: [SQLValue] {
        [
            .int(bytes), .int(total), .int(isRunning), .int(began?.milliseconds), .int(failures),
            .int(retryAt?.milliseconds), .text(failure?.rawValue), .text(problem), .int(status),
            .text(validator), .text(tag), .int(syncedBytes), .text(boot), .text(file),
            .text(responseHeaders), .text(result?.rawValue), .int(finished?.milliseconds),
            .int(activeTime.spent.nanoseconds / 1_000_000), .int(activeTime.counted / 1_000_000),
            .text(activeTime.boot), .int(resumedAt),
        ]
    }

    fileprivate init(_ row: borrowing Row, from column: Int) throws {
        self.init()
        bytes = try row.number(column)
        total = try (row[column + 1] as Int64?).map { max(0, $0) }
        isRunning = try row[column + 2]
        began = try row.optionalDate(column + 3)?.clamped
        failures = Int(min(try row.number(column + 4), 1 << 32))
        retryAt = try row.optionalDate(column + 5)?.clamped
        failure = try (row[column + 6] as String?).map(TransferFailure.init(stored:))
        problem = try row[column + 7]
        status = try row[column + 8]
        validator = try row[column + 9]
        tag = try row[column + 10]
        syncedBytes = try row.number(column + 11)
        boot = try row[column + 12]
        file = try row[column + 13]
        responseHeaders = try row[column + 14]
        result = try (row[column + 15] as String?).map(TransferResult.init(stored:))
        finished = try row.optionalDate(column + 16)?.clamped
        let spent = try row.number(column + 17)
        let counted = try row.number(column + 18)
        activeTime = ActiveTime(
            spent: .milliseconds(spent), counted: Interval.milliseconds(counted).nanoseconds,
            boot: try row[column + 19])
        resumedAt = try row[column + 20]
    }
}

extension Row {
    /// A number that counts something; a negative one counts as 0.
    fileprivate func number(_ column: Int) throws -> Int64 { max(0, try self[column]) }
}

extension WallTime {
    /// Dates outside the years 1 to 9999 are not used in computations.
    fileprivate var clamped: WallTime {
        WallTime(milliseconds: min(max(milliseconds, -62_135_596_800_000), 253_402_300_799_999))
    }
}
