// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The state of a plugin's file when a worker was started, so that a worker does not continue with
/// the code of a file that was since replaced or modified.
struct LoadedFile {
    let path: String?
    private let state: State?

    private struct State: Equatable {
        let device: dev_t
        let inode: ino_t
        let size: off_t
        let seconds: Int
        let nanoseconds: Int

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            (device, inode, size) = (status.st_dev, status.st_ino, status.st_size)
            (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        }
    }

    /// - Parameter path: nil: no file, which never changes.
    init(_ path: String?) {
        self.path = path
        state = path.flatMap(State.init)
    }

    /// Whether the file is the same and unmodified.
    var isUnchanged: Bool { path.map { State($0) == state && state != nil } ?? true }
}
