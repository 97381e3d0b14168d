// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Foundation

@testable import BGRunEventLog

/// A directory for a journal, which `deinit` removes.
final class Directory {
    let paths: JournalPaths
    private let path: String

    init() throws {
        path = NSTemporaryDirectory() + "bgrun-journal-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        paths = JournalPaths(current: path + "/journal", previous: path + "/journal.1")
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func journal(bytes: Int = 1 << 20) throws -> Journal {
        try Journal(paths, app: "org.test.app", version: "test", bytes: bytes)
    }

    var images: [JournalImage] {
        get throws { try JournalImage.read(paths) }
    }

    func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }

    /// Records `count` steps of a run, `round` steps at once, and the end of the host.
    func record(
        _ run: inout RandomRun, steps count: Int, round: Int = 3, in journal: Journal,
        isEnding: Bool = true
    ) throws {
        try journal.begin(run.engine, at: run.now)
        for step in 0..<count {
            let happened = run.step()
            try journal.note(
                happened.event, at: happened.at, random: happened.random, happened.actions,
                from: run.engine)
            if step.isMultiple(of: round) { try journal.flush() }
        }
        if isEnding { try journal.end(at: run.now) }
    }
}
