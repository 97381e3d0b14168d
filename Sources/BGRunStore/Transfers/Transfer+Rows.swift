// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunTransfer
import Foundation
import GRDB

extension Transfer {
    static let columns = """
        id, name, request, submitted, wanted, delivered, bytes, total, running, began, failures, \
        retry_at, failure, problem, status, validator, tag, synced, boot, file, headers, result, \
        finished
        """

    init(_ row: Row) throws {
        let request = try JSONDecoder().decode(
            TransferRequest.self, from: Data((row[2] as String).utf8))
        self.init(
            id: row[0], request: request, name: row[1],
            submitted: WallTime(milliseconds: row[3]),
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
        headers = ?, result = ?, finished = ?
        """

    var values: [SQLValue] {
        [
            .int(bytes), .int(total), .int(isRunning), .int(began?.milliseconds), .int(failures),
            .int(retryAt?.milliseconds), .text(failure?.rawValue), .text(problem), .int(status),
            .text(validator), .text(tag), .int(syncedBytes), .text(boot), .text(file),
            .text(responseHeaders), .text(result?.rawValue), .int(finished?.milliseconds),
        ]
    }

    fileprivate init(_ row: Row, from column: Int) throws {
        func date(_ offset: Int) -> WallTime? {
            (row[column + offset] as Int64?).map { WallTime(milliseconds: $0) }
        }
        self.init()
        bytes = row[column]
        total = row[column + 1]
        isRunning = row[column + 2]
        began = date(3)
        failures = row[column + 4]
        retryAt = date(5)
        failure = try (row[column + 6] as String?).map(TransferFailure.init(stored:))
        problem = row[column + 7]
        status = row[column + 8]
        validator = row[column + 9]
        tag = row[column + 10]
        syncedBytes = row[column + 11]
        boot = row[column + 12]
        file = row[column + 13]
        responseHeaders = row[column + 14]
        result = try (row[column + 15] as String?).map(TransferResult.init(stored:))
        finished = date(16)
    }
}

extension RawRepresentable<String> {
    fileprivate init(stored word: String) throws {
        guard let value = Self(rawValue: word) else { throw UnknownWord(word: word) }
        self = value
    }
}
