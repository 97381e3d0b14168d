// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import FoundationEssentials
import Glibc

/// Deferred messages of a broker, one file each, in order of arrival. They are acknowledged to the
/// broker: a client that delays acknowledgements for long loses the connection and receives all
/// messages again.
final class MQTTSpool {
    private let path: String
    private let opener: RegularFile.Opener
    private var last: Int64 = 0
    private(set) var names: [String] = []

    /// Further messages are not acknowledged to the broker until there is room.
    private static let most = 1_000

    /// Opens the directory and creates it if it is missing; nil: it cannot be used.
    ///
    /// - Parameter opener: Opens the files.
    init?(_ path: String, opener: @escaping RegularFile.Opener = RegularFile.opener) {
        self.path = path
        self.opener = opener
        guard mkdir(path, 0o700) == 0 || errno == EEXIST,
            let found = Directory.names(in: path)
        else { return nil }
        let numbers = found.compactMap(Int64.init).filter { $0 > 0 }.sorted()
        names = numbers.map(String.init)
        last = numbers.last ?? 0
    }

    var isEmpty: Bool { names.isEmpty }

    /// Appends a message; false: it could not be stored.
    func add(_ line: Data) -> Bool {
        guard names.count < Self.most, last < .max else { return false }
        let name = String(last + 1)
        let (draft, file) = ("\(path)/.\(name)", "\(path)/\(name)")
        guard AtomicFile.write(line, to: file, by: draft, mode: 0o600, isSynced: true) else {
            return false
        }
        ParentDirectory.sync(file)
        last += 1
        names.append(name)
        return true
    }

    /// The state of the oldest message.
    enum First: Equatable {
        case message(Data)
        /// Its file is missing.
        case gone
        /// It cannot be read now, for this reason.
        case later(String)
        /// It can never be read, for this reason.
        case unreadable(String)
    }

    func first() -> First {
        guard let name = names.first else { return .gone }
        do throws(RegularFile.Refusal) {
            let file = try RegularFile.contents(of: "\(path)/\(name)", by: opener)
            return file.map { First.message(Data($0.bytes)) } ?? .gone
        } catch {
            return error.isPassing ? .later(error.reason) : .unreadable(error.reason)
        }
    }

    func removeFirst() {
        guard !names.isEmpty else { return }
        unlink("\(path)/\(names.removeFirst())")
    }

    /// Renames the file of the oldest message, so that it is not read again.
    func setFirstAside() {
        guard !names.isEmpty else { return }
        let file = "\(path)/\(names.removeFirst())"
        rename(file, file + ".unreadable")
    }
}
