// SPDX-License-Identifier: Apache-2.0

import BGRunSystem

/// The state of a plugin's file when a worker was started, so that a worker does not continue with
/// the code of a file that was since replaced or modified.
struct LoadedFile {
    let path: String?
    private let stamp: FileStamp?

    /// - Parameter path: nil: no file, which never changes.
    init(_ path: String?) {
        self.path = path
        stamp = path.flatMap { FileStamp($0) }
    }

    /// Whether the file is the same and unmodified.
    var isUnchanged: Bool { path.map { FileStamp($0) == stamp && stamp != nil } ?? true }
}
