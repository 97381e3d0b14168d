// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The file beside a store that exists while processes with its mark may: a host that is killed leaves it behind.
/// It needs no sync, because a power failure ends the processes as well.
package struct WorkersFile {
    private let path: String

    package init(store: String) { path = store + "-workers" }

    package var exists: Bool { access(path, F_OK) == 0 || errno != ENOENT }

    package func create() {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    package func remove() { unlink(path) }
}
