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
    /// The identity of each file at the last scan.
    private var seen: [String: Identity] = [:]

    /// Detects whether a file was written or replaced since.
    private struct Identity: Equatable {
        var owner: uid_t
        var inode: ino_t
        var size: off_t
        /// The time of the last change of content, owner or mode.
        var seconds: Int
        var nanoseconds: Int
    }

    init(_ path: String) { self.path = path }

    /// Calls `heard` after each possible change from now on. Must be called again at each scan: another
    /// directory may have replaced it. If it is missing, watches its nearest existing ancestor.
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

    /// The current names, sorted; those written since the last scan; and those of them with a new owner. Nil if
    /// the directory cannot be read.
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
