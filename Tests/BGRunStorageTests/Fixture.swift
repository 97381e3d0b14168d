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
            // Replaces a letter at the end of an identifier: no version of bgrun accepts it.
            return try String(contentsOf: file, encoding: .utf8)
                .replacingOccurrences(of: "\u{1F4F7}", with: "camera")
        }
    }
}
