// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A database of a released version, as `sqlite3 FILE .dump` wrote it: `Fixtures/vN.sql`, or
/// `transfers-vN.sql`, which never changes.
struct Fixture: CustomStringConvertible {
    let version: Int
    private var prefix = "v"
    var description: String { "version \(version)" }

    init(version: Int) { self.version = version }

    init(transfersVersion version: Int) {
        self.version = version
        prefix = "transfers-v"
    }

    var sql: String {
        get throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "Fixtures/\(prefix)\(version).sql")
            // Replaces a letter at the end of an identifier: no version of bgrun accepts it.
            return try String(contentsOf: file, encoding: .utf8)
                .replacingOccurrences(of: "\u{1F4F7}", with: "camera")
        }
    }
}
