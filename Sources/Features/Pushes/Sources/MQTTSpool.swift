// SPDX-License-Identifier: Apache-2.0

import BGRunStorage
import BGRunSystem
import FoundationEssentials
import Glibc

/// Deferred messages of a broker, one file each, in order of arrival. They are acknowledged to the
/// broker: a client that delays acknowledgements for long loses the connection and receives all
/// messages again.
final class MQTTSpool {
    private let path: String
    private let opener: InboxDirectory.Opener
    private var last: Int64 = 0
    private(set) var names: [String] = []

    /// Further messages are not acknowledged to the broker until there is room.
    private static let most = 1_000

    /// Opens the directory and creates it if it is missing; nil: it cannot be used.
    ///
    /// - Parameter opener: Opens the files.
    init?(_ path: String, opener: @escaping InboxDirectory.Opener = InboxDirectory.opener) {
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
        guard TakenFiles.write([UInt8](line), to: file, by: draft) else { return false }
        ParentDirectory.sync(file)
        last += 1
        names.append(name)
        return true
    }

    /// What became of the oldest message.
    enum First: Equatable {
        case message(Data)
        /// Its file is missing.
        case gone
        /// It cannot be read now, for this reason.
        case later(String)
        /// It can never be read, for this reason.
        case unreadable(String)

        fileprivate static func unread() -> First {
            let code = errno
            let reason = String(cString: strerror(code))
            return InboxDirectory.isPassing(code) ? .later(reason) : .unreadable(reason)
        }
    }

    func first() -> First {
        guard let name = names.first else { return .gone }
        // Does not wait for the writer of a pipe.
        let file = opener(AT_FDCWD, "\(path)/\(name)", O_NONBLOCK)
        guard file >= 0 else { return errno == ENOENT ? .gone : .unread() }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { return .unread() }
        guard status.st_mode & S_IFMT == S_IFREG else {
            return .unreadable("it is not a regular file")
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(file, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return .unread() }
            if count == 0 { return .message(Data(bytes)) }
            bytes += chunk[..<count]
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
