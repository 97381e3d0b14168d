// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Glibc

/// The usage of a file system.
struct StorageSnapshot: Equatable, Sendable {
    /// Bytes.
    var size: UInt64
    /// The bytes that this user may still write.
    var free: UInt64
    /// The maximum number of files; 0 if the file system does not count them.
    var files: UInt64
    var freeFiles: UInt64
}

extension StorageSnapshot {
    /// The file system of `directory`, or of its nearest existing ancestor; nil if it is unknown.
    init?(directory: String) {
        var path = directory
        var status = statvfs()
        while statvfs(path, &status) != 0 {
            guard errno == ENOENT, let slash = path.lastIndex(of: "/") else { return nil }
            path = slash == path.startIndex ? "/" : String(path[..<slash])
        }
        self.init(
            size: Self.bytes(status.f_blocks, of: status.f_frsize),
            free: Self.bytes(status.f_bavail, of: status.f_frsize),
            files: UInt64(clamping: status.f_files), freeFiles: UInt64(clamping: status.f_favail))
    }

    /// Saturates: a user's file system may claim any number of blocks.
    static func bytes(_ blocks: UInt, of size: UInt) -> UInt64 {
        let (bytes, overflow) = blocks.multipliedReportingOverflow(by: size)
        return overflow ? .max : UInt64(clamping: bytes)
    }
}

/// Whether the state directory's file system is nearly full (Android: 5 % of it, at most 500 MB). To end this state,
/// twice as much must be free, so that a task that was stopped for filling it does not start again at once.
enum StorageRule {
    static let lowShare: UInt64 = 20
    static let lowBytes: UInt64 = 500_000_000
    /// Below one in a hundred, new files may fail although bytes are free.
    static let lowFilesShare: UInt64 = 100

    static func isLow(
        _ snapshot: StorageSnapshot?, before: Reading = .unknown, path: String
    ) -> Finding<Reading> {
        func measured(_ value: Reading, _ because: String) -> Finding<Reading> {
            Finding(value, from: path, .measured, because: because)
        }
        guard let snapshot, snapshot.size > 0 else {
            return Finding(
                .unknown, from: path, .unknown, because: "statvfs cannot tell the size of \(path)")
        }
        let scale: UInt64 = before == .yes ? 2 : 1
        // fits: twice a constant at most
        let gate = min(snapshot.size / lowShare, lowBytes) * scale
        let free = "\(snapshot.free / 1_000_000) MB are free"
        if snapshot.free < gate {
            return measured(.yes, "\(free), under the gate of \(gate / 1_000_000) MB")
        }
        if snapshot.files > 0, snapshot.freeFiles < snapshot.files / lowFilesShare * scale {
            return measured(.yes, "\(free), but only \(snapshot.freeFiles) files more fit")
        }
        return measured(.no, "\(free), the gate is \(gate / 1_000_000) MB")
    }
}
