// SPDX-License-Identifier: Apache-2.0

/// Tells when a file was written or replaced, or something in a directory came up, was written or went.
/// The path need not be there yet, and may go and come again. Belongs to the loop's thread.
package final class PathWatch {
    private let loop: EventLoop
    private let path: String
    private let changed: () -> Void
    /// The path itself, by the directory it is in.
    private var itself: FileWatch?
    /// What is in it, when it is a directory.
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
