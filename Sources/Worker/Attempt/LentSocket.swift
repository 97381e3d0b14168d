// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The listening socket of `on: {socket: ...}`, open during an attempt: a descriptor whose number is in an environment
/// variable.
struct LentSocket {
    static let variable = "BGRUN_LISTEN_FD"

    private let descriptor: Int32
    private let inode: ino_t?

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        inode = Self.inode(of: descriptor)
        setenv(Self.variable, "\(descriptor)", 1)
    }

    /// The next attempt does not get it. A handler may have closed it, and the number may be another file's.
    func takeBack() {
        unsetenv(Self.variable)
        if inode != nil, Self.inode(of: descriptor) == inode { close(descriptor) }
    }

    private static func inode(of descriptor: Int32) -> ino_t? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status.st_ino : nil
    }
}
