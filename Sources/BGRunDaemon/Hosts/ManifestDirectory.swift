// SPDX-License-Identifier: Apache-2.0

import BGRunLoop
import BGRunProcess
import Glibc

/// The manifests of a directory: files that end in .yaml or .yml, and do not begin with a dot.
///
/// Belongs to the loop's thread.
final class ManifestDirectory {
    let path: String
    private var watch: DirectoryWatch?
    /// What each file was when it was looked at last.
    private var seen: [String: Identity] = [:]

    /// Tells whether a file was written or replaced since.
    private struct Identity: Equatable {
        var inode: ino_t
        var size: off_t
        /// Of the last change of content, owner or mode.
        var seconds: Int
        var nanoseconds: Int
    }

    init(_ path: String) {
        self.path = path
    }

    /// Calls `heard` when something may have changed, from now on; false when the directory cannot be
    /// watched. To be called again at each look: another directory may have taken its place.
    func watch(_ loop: EventLoop, heard: @escaping () -> Void) -> Bool {
        watch = DirectoryWatch(loop, path, heard: heard)
        return watch != nil
    }

    /// The names there are now, sorted, and those that were written since the last look; nil when the
    /// directory cannot be read.
    func look() -> (names: [String], changed: [String])? {
        guard let names = names() else { return nil }
        var found: [String: Identity] = [:]
        for name in names { found[name] = identity(of: name) }
        defer { seen = found }
        let present = found.keys.sorted()
        return (present, present.filter { seen[$0] != nil && seen[$0] != found[$0] })
    }

    private func identity(of name: String) -> Identity? {
        var status = stat()
        guard stat("\(path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return Identity(
            inode: status.st_ino, size: status.st_size, seconds: status.st_ctim.tv_sec,
            nanoseconds: status.st_ctim.tv_nsec)
    }

    private func names() -> [String]? {
        Directory.names(in: path)?.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }
    }
}
