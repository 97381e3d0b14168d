// SPDX-License-Identifier: Apache-2.0

import BGRunEventLog
import Glibc

/// A directory for the journal of one simulation; deinit removes it. It is in memory if the machine has
/// /dev/shm.
final class JournalPlace {
    private let directory: String
    private let paths: JournalPaths

    init?() {
        let place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(place)/bgrun-host-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        directory = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        paths = JournalPaths(current: directory + "/journal", previous: directory + "/journal.1")
    }

    deinit {
        try? paths.remove()
        rmdir(directory)
    }

    func open() throws -> Journal {
        try Journal(paths, app: "org.test.app", version: "simulated", bytes: 32 << 20)
    }

    /// The result of a replay of the whole journal.
    func report() -> ReplayReport {
        let images = [paths.previous, paths.current].compactMap { path in
            Self.bytes(of: path).map { JournalImage(path: path, bytes: $0) }
        }
        return ReplayReport(images)
    }

    private static func bytes(of path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
    }
}
