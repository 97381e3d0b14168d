// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunTransfer
import FoundationEssentials
import GRDB

extension Transfer {
    static let columns = """
        id, name, request, submitted, wanted, delivered, bytes, total, running, began, failures, \
        retry_at, failure, problem, status, validator, tag, synced, boot, file, headers, result, \
        finished, spent, counted, counted_boot, resumed
        """

    init(_ row: Row) throws {
        let request = try JSONDecoder().decode(
            TransferRequest.self, from: Data((row[2] as String).utf8))
        self.init(
            id: row[0], request: request, name: row[1],
            submitted: WallTime(milliseconds: row[3]).clamped,
            wanted: try Wanted(stored: row[4]), isDelivered: row[5],
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
    /// Every column of the service's, each with its value.
    static let assignments = """
        bytes = ?, total = ?, running = ?, began = ?, failures = ?, retry_at = ?, failure = ?, \
        problem = ?, status = ?, validator = ?, tag = ?, synced = ?, boot = ?, file = ?, \
        headers = ?, result = ?, finished = ?, spent = ?, counted = ?, counted_boot = ?, \
        resumed = ?
        """

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

    fileprivate init(_ row: Row, from column: Int) throws {
        func date(_ offset: Int) -> WallTime? {
            (row[column + offset] as Int64?).map { WallTime(milliseconds: $0).clamped }
        }
        func number(_ offset: Int) -> Int64 { max(0, row[column + offset] as Int64) }
        self.init()
        bytes = number(0)
        total = (row[column + 1] as Int64?).map { max(0, $0) }
        isRunning = row[column + 2]
        began = date(3)
        failures = Int(min(number(4), 1 << 32))
        retryAt = date(5)
        failure = try (row[column + 6] as String?).map(TransferFailure.init(stored:))
        problem = row[column + 7]
        status = row[column + 8]
        validator = row[column + 9]
        tag = row[column + 10]
        syncedBytes = number(11)
        boot = row[column + 12]
        file = row[column + 13]
        responseHeaders = row[column + 14]
        result = try (row[column + 15] as String?).map(TransferResult.init(stored:))
        finished = date(16)
        activeTime = ActiveTime(
            spent: .milliseconds(number(17)),
            counted: Interval.milliseconds(number(18)).nanoseconds, boot: row[column + 19])
        resumedAt = row[column + 20]
    }
}

extension WallTime {
    /// Dates outside the years 1 to 9999 are not calculated with.
    fileprivate var clamped: WallTime {
        WallTime(milliseconds: min(max(milliseconds, -62_135_596_800_000), 253_402_300_799_999))
    }
}

extension RawRepresentable<String> {
    init(stored word: String) throws {
        guard let value = Self(rawValue: word) else { throw UnknownWord(word: word) }
        self = value
    }
}
