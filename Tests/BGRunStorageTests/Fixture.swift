// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A database of a released version, as `sqlite3 FILE .dump` wrote it: `Fixtures/vN.sql`, which never changes.
struct Fixture: CustomStringConvertible {
    let version: Int
    var description: String { "version \(version)" }

    var sql: String {
        get throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "Fixtures/v\(version).sql")
            // The identifier ends in a letter that bgrun has never accepted.
            return try String(contentsOf: file, encoding: .utf8)
                .replacingOccurrences(of: "\u{1F4F7}", with: "camera")
        }
    }
}
