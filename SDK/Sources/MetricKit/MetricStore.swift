// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// Keeps a `MetricHistory`, which the worker processes of an app share.
package final class MetricStore: Sendable {
    /// The history could not be locked or written.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// nil: kept in memory.
    private let file: URL?
    private let memory = Mutex(MetricHistory())
    /// Locked by the thread that changes a file: the wait for the lock of the file is short, and only for
    /// other processes.
    private static let change = Mutex(())

    /// - Parameter file: JSON, created with the first data. nil for a history that ends with the process.
    package init(file: URL?) {
        self.file = file
    }

    /// The file of an app in its Caches directory; nil if that directory does not exist.
    package static func file(app: String) -> URL? {
        FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first?
            .appendingPathComponent(app).appendingPathComponent("MetricKit/days.json")
    }

    /// Changes the history while no other process does, and returns once it is stored.
    package func change<Result>(
        _ body: (inout MetricHistory) -> Result
    ) throws -> Result where Result: Sendable {
        guard let file else { return memory.withLock { body(&$0) } }
        return try Self.change.withLock { _ in try change(file, body) }
    }

    private func change<Result>(
        _ file: URL, _ body: (inout MetricHistory) -> Result
    ) throws -> Result where Result: Sendable {
        let directory = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let lock = try Self.lock(file.path + ".lock")
        defer { close(lock) }
        let before = read(file)
        var history = before
        let result = body(&history)
        if history != before { try JSONEncoder().encode(history).write(to: file, options: .atomic) }
        return result
    }

    /// The stored history.
    package var history: MetricHistory {
        guard let file else { return memory.withLock { $0 } }
        return read(file)
    }

    /// Empty for a missing or damaged file: it is in Caches.
    private func read(_ file: URL) -> MetricHistory {
        guard let data = try? Data(contentsOf: file),
            let history = try? JSONDecoder().decode(MetricHistory.self, from: data)
        else { return MetricHistory() }
        return history
    }

    /// Locks a file and returns its descriptor. Waits half a second at most: a stopped process keeps its
    /// lock.
    private static func lock(_ path: String) throws -> Int32 {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Failure(description: "\(path) cannot be opened") }
        for _ in 0..<50 {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
            usleep(10_000)
        }
        close(descriptor)
        throw Failure(description: "\(path) is locked by another process")
    }
}
