// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import Glibc

/// Processed files of an inbox that cannot be removed: they are not processed again, not even by
/// the next host.
struct TakenFiles {
    /// Nil: they are not stored beyond this process.
    private let path: String?
    private var marks: Set<String> = []

    /// The maximum size of the record in bytes; a larger one is not read.
    private static let limit = 4 << 20

    init(_ path: String?) {
        guard let path, let bytes = Self.record(path) else {
            // A record that cannot be read is not overwritten.
            self.path = nil
            return
        }
        self.path = path
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        marks = Set(lines.map(String.init))
    }

    /// The bytes of a record, empty if it is missing; nil if it cannot be read.
    private static func record(_ path: String) -> [UInt8]? {
        do throws(RegularFile.Refusal) {
            let record = try RegularFile.contents(
                of: path, O_NOFOLLOW, limit: limit, by: RegularFile.opener)
            return record?.bytes ?? []
        } catch {
            return nil
        }
    }

    func holds(_ mark: String) -> Bool { marks.contains(Self.line(mark)) }

    mutating func add(_ mark: String) { if marks.insert(Self.line(mark)).inserted { write() } }

    /// Removes entries whose names no longer exist.
    mutating func keep(only names: [String]) {
        guard !marks.isEmpty else { return }
        let names = Set(names.map(Self.line))
        let kept = marks.filter { mark in
            let name = mark.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
            return name.count == 4 && names.contains(String(name[3]))
        }
        guard kept.count < marks.count else { return }
        marks = kept
        write()
    }

    private static func line(_ mark: String) -> String {
        String(mark.map { $0.isNewline ? "?" : $0 })
    }

    private func write() {
        guard let path else { return }
        let text = marks.sorted().map { $0 + "\n" }.joined()
        _ = AtomicFile.write(
            text.utf8, to: path, by: path + ".new", mode: 0o600, isSynced: true)
    }
}
