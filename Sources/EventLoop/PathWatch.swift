// SPDX-License-Identifier: Apache-2.0

/// Reports when a file was written or replaced, or when something in a directory appeared, was written
/// or disappeared. The path may be missing, and may disappear and return. Belongs to the loop's thread.
package final class PathWatch {
    private let loop: EventLoop
    private let path: String
    private let changed: () -> Void
    /// Watches the path itself in its parent directory.
    private var itself: FileWatch?
    /// Watches the contents, if the path is a directory.
    private var content: DirectoryWatch?

    package init(
        _ loop: EventLoop, path: String, changed: @escaping () -> Void
    ) throws(SystemFailure) {
        self.loop = loop
        self.path = path
        self.changed = changed
        itself = try FileWatch(loop, path: path) { [unowned self] in
            look()
            changed()
        }
        look()
    }

    private func look() { content = DirectoryWatch(loop, path) { [unowned self] in changed() } }
}
