// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunSystem
import Glibc

/// The manifests of a directory: files that end in .yaml or .yml, and do not begin with a dot.
///
/// Belongs to the loop's thread.
final class ManifestDirectory {
    /// Absolute.
    let path: String
    private var watch: DirectoryWatch?
    /// What each file was when it was looked at last.
    private var seen: [String: Identity] = [:]

    /// Tells whether a file was written or replaced since.
    private struct Identity: Equatable {
        var owner: uid_t
        var inode: ino_t
        var size: off_t
        /// Of the last change of content, owner or mode.
        var seconds: Int
        var nanoseconds: Int
    }

    init(_ path: String) { self.path = path }

    /// Calls `heard` when something may have changed, from now on. To be called again at each look:
    /// another directory may have taken its place. One that is not there is heard of by the last
    /// directory on the way to it.
    func watch(_ loop: EventLoop, heard: @escaping () -> Void) {
        var place = path
        repeat {
            watch = DirectoryWatch(loop, place, heard: heard)
            place = String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)])
        } while watch == nil && !place.isEmpty
        if watch == nil { watch = DirectoryWatch(loop, "/", heard: heard) }
    }

    var isThere: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The names there are now, sorted; those that were written since the last look; and those of them that have
    /// another owner now. Nil when the directory cannot be read.
    func look() -> (names: [String], changed: [String], changedOwner: [String])? {
        guard let names = Directory.names(in: path) else { return nil }
        var found: [String: Identity] = [:]
        for name in names where name.hasSuffix(".yaml") || name.hasSuffix(".yml") {
            found[name] = identity(of: name)
        }
        defer { seen = found }
        let present = found.keys.sorted()
        let changed = present.filter { seen[$0] != nil && seen[$0] != found[$0] }
        return (present, changed, changed.filter { seen[$0]?.owner != found[$0]?.owner })
    }

    private func identity(of name: String) -> Identity? {
        var status = stat()
        guard stat("\(path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return Identity(
            owner: status.st_uid, inode: status.st_ino, size: status.st_size,
            seconds: status.st_ctim.tv_sec, nanoseconds: status.st_ctim.tv_nsec)
    }
}
