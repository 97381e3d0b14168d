// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import Glibc

/// Waits for a path to come up, though directories on the way to it are still missing.
final class PathWatch {
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

    /// Watches the deepest directory there is.
    private func look() {
        while true {
            let directory = deepestDirectory
            watch = DirectoryWatch(loop, directory) { [weak self] in
                // The watch is on the stack now, and goes when it is replaced.
                self?.loop.afterThisRound { self?.look() }
            }
            if access(path, F_OK) == 0 {
                watch = nil
                return loop.afterThisRound(appeared)
            }
            // What came up before the watch began is not told.
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
