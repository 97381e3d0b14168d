// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import Glibc

/// Waits until a path exists, even if its parent directories are missing.
final class PathAppearance {
    private let loop: EventLoop
    private let path: String
    private let appeared: () -> Void
    private var watch: DirectoryWatch?

    /// `appeared` is called once, from the loop.
    init(_ loop: EventLoop, _ path: String, appeared: @escaping () -> Void) {
        self.loop = loop
        self.path = path
        self.appeared = appeared
        look()
    }

    /// Watches the deepest existing directory.
    private func look() {
        while true {
            let directory = deepestDirectory
            watch = DirectoryWatch(loop, directory) { [weak self] in
                // The watch is on the call stack now, and must not be released yet.
                self?.loop.afterThisRound { self?.look() }
            }
            if access(path, F_OK) == 0 {
                watch = nil
                return loop.afterThisRound(appeared)
            }
            // Checks again: the watch does not report earlier changes.
            if watch == nil || directory == deepestDirectory { return }
        }
    }

    private var deepestDirectory: String {
        var directory = path
        repeat {
            directory = String(directory[..<(directory.lastIndex(of: "/") ?? directory.startIndex)])
        } while !directory.isEmpty && access(directory, F_OK) != 0
        return directory.isEmpty ? "/" : directory
    }
}
