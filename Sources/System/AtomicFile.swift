// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Files that other processes read while this one writes, or that must survive its death completely.
package enum AtomicFile {
    /// Writes the name `draft` first, so that a reader finds either the old or the new file at `path`; false,
    /// with the reason in `errno`, if that fails.
    /// - Parameters:
    ///   - draft: In the same directory; nil: a name of this process. A fixed name is for a file that no other
    ///     process writes: a killed process leaves at most one draft then.
    ///   - isSynced: Whether the bytes are on the disk before the file has its name.
    package static func write(
        _ bytes: some Sequence<UInt8>, to path: String, by draft: String? = nil, mode: mode_t,
        isSynced: Bool = false
    ) -> Bool {
        let draft = draft ?? "\(path).\(getpid()).tmp"
        // A killed process may have left it; does not follow a link of another user.
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        if writeAll(bytes, to: descriptor), !isSynced || fsync(descriptor) == 0,
            rename(draft, path) == 0
        {
            return true
        }
        unlink(draft)
        return false
    }
}
