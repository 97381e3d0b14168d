// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// How full a file system is.
struct StorageSnapshot: Hashable, Sendable {
    /// Bytes.
    var size: UInt64
    /// Bytes this user may still write.
    var free: UInt64
    /// Files there may be; 0 when the file system does not count them.
    var files: UInt64
    var freeFiles: UInt64
}

/// Whether the state directory's file system is nearly full (Android: 5 % of it, at most 500 MB). Once it
/// is, twice as much must be free before it is not, so that a task that fills it and is stopped does not
/// start again at once.
enum StorageRule {
    static let lowShare: UInt64 = 20
    static let lowBytes: UInt64 = 500_000_000
    /// Below one in a hundred, new files may fail while bytes are free.
    static let lowFilesShare: UInt64 = 100

    static func isLow(
        _ snapshot: StorageSnapshot?, before: Reading = .unknown, path: String
    ) -> Finding<Reading> {
        guard let snapshot, snapshot.size > 0 else {
            return Finding(
                .unknown, from: path, .unknown, because: "statvfs cannot tell the size of \(path)")
        }
        let scale: UInt64 = before == .yes ? 2 : 1
        // fits: twice a constant at most
        let gate = min(snapshot.size / lowShare, lowBytes) * scale
        let free = "\(snapshot.free / 1_000_000) MB are free"
        if snapshot.free < gate {
            return Finding(
                .yes, from: path, .measured,
                because: "\(free), under the gate of \(gate / 1_000_000) MB")
        }
        if snapshot.files > 0, snapshot.freeFiles < snapshot.files / lowFilesShare * scale {
            return Finding(
                .yes, from: path, .measured,
                because: "\(free), but only \(snapshot.freeFiles) files more fit")
        }
        return Finding(
            .no, from: path, .measured, because: "\(free), the gate is \(gate / 1_000_000) MB")
    }
}
