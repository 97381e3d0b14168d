// SPDX-License-Identifier: Apache-2.0

import BGRunProcess
import Foundation
import Glibc

/// Messages of a broker that cannot be taken yet, one file each, in the order they came. What is in it is
/// acknowledged to the broker: who waits with that for long loses the connection, and gets all of it again.
final class MQTTSpool {
    private let path: String
    private var last: Int64 = 0
    private(set) var names: [String] = []

    /// Of more messages the broker is told nothing until there is room.
    private static let most = 1_000

    /// Opens the directory, which is made when it is missing; nil: it cannot be used.
    init?(_ path: String) {
        self.path = path
        guard mkdir(path, 0o700) == 0 || errno == EEXIST,
            let found = Directory.names(in: path)
        else { return nil }
        let numbers = found.compactMap(Int64.init).filter { $0 > 0 }.sorted()
        names = numbers.map(String.init)
        last = numbers.last ?? 0
    }

    var isEmpty: Bool { names.isEmpty }

    /// Stores a message behind the others; false: it is not on the disk.
    func add(_ line: Data) -> Bool {
        guard names.count < Self.most, last < .max else { return false }
        let name = String(last + 1)
        guard write(line, "\(path)/.\(name)") else { return false }
        guard rename("\(path)/.\(name)", "\(path)/\(name)") == 0 else { return false }
        sync()
        last += 1
        names.append(name)
        return true
    }

    /// The oldest; nil when it cannot be read: it is dropped then.
    func first() -> Data? {
        names.first.flatMap { FileManager.default.contents(atPath: "\(path)/\($0)") }
    }

    func removeFirst() {
        guard !names.isEmpty else { return }
        unlink("\(path)/\(names.removeFirst())")
    }

    private func write(_ data: Data, _ file: String) -> Bool {
        unlink(file)
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let count = data.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        return count == data.count && fsync(descriptor) == 0
    }

    private func sync() {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
