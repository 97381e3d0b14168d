// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A directory that stays the same if its path later leads elsewhere. Closed with its last reference.
package final class OpenDirectory: Sendable {
    package let descriptor: Int32

    /// Leads to this directory as long as it is open.
    package var path: String { "/proc/self/fd/\(descriptor)" }

    /// Opens the directory `names` below `root`, one after the other, and follows no link on the way: another process
    /// may replace any of them at any time.
    /// - Parameters:
    ///   - names: Single names, not "..".
    ///   - mode: Missing directories are created with this mode; nil: they are not.
    ///   - failure: The error for the directory that cannot be opened, from its path and the errno; ENOTDIR for a link.
    package init<Failure: Error>(
        _ names: ArraySlice<String>, below root: String, creating mode: mode_t?,
        or failure: (String, Int32) -> Failure
    ) throws(Failure) {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        var current = open(root, flags)
        guard current >= 0 else { throw failure(root, errno) }
        var place = root
        for name in names {
            place += "/" + name
            var next = openat(current, name, flags | O_NOFOLLOW)
            if next < 0, errno == ENOENT, let mode {
                if mkdirat(current, name, mode) == 0 { fsync(current) }
                next = openat(current, name, flags | O_NOFOLLOW)
            }
            let code = errno
            close(current)
            guard next >= 0 else { throw failure(place, code) }
            current = next
        }
        descriptor = current
    }

    /// The path, through this directory, of its entry with the last name of `path`.
    package func path(of path: String) -> String {
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8[$0...].dropFirst() }
        return self.path + "/" + String(decoding: name ?? path.utf8[...], as: UTF8.self)
    }

    deinit { close(descriptor) }
}
