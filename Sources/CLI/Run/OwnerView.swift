// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunStorage
import BGRunSystem
import CBGRunShims
import Glibc

extension StateDirectory {
    /// Makes this directory reachable for its owner, in this process and its children only.
    ///
    /// systemd keeps the state of `DynamicUser=` below `/var/lib/private`, which only root may search. A
    /// private mount namespace replaces the first directory that the owner cannot search by an empty one
    /// that holds this state at its usual path, and nothing else.
    ///
    /// Call it as root, before dropping its rights. Existing threads do not see the change.
    func makeReachable(to owner: (user: uid_t, group: gid_t)) throws(SystemFailure) {
        guard let resolved = realpath(path, nil) else { return }
        defer { free(resolved) }
        let target = String(cString: resolved)
        guard let closed = Self.firstUnsearchable(target, owner) else { return }
        let unshared = bgrun_unshare_mounts()
        guard unshared == 0 else {
            throw SystemFailure("make a mount namespace", code: -unshared)
        }
        // Opened before the mount; does not follow a link in its place.
        let descriptor = open(target, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        try SystemFailure.check("open \(target)", descriptor)
        defer { close(descriptor) }
        let flags = UInt(MS_NOSUID | MS_NODEV | MS_NOEXEC)
        try SystemFailure.check("mount \(closed)", mount("tmpfs", closed, "tmpfs", flags, nil))
        try SystemFailure.check("open \(closed)", chmod(closed, 0o755))
        for directory in Directory.ancestors(of: target) + [target]
        where directory.utf8.count > closed.utf8.count {
            try SystemFailure.check("make \(directory)", mkdir(directory, 0o755))
        }
        let source = "/proc/self/fd/\(descriptor)"
        try SystemFailure.check(
            "mount \(target)", mount(source, target, nil, UInt(MS_BIND), nil))
    }

    /// The first directory above `path` that `owner` may not search.
    private static func firstUnsearchable(
        _ path: String, _ owner: (user: uid_t, group: gid_t)
    ) -> String? {
        guard setgroups(0, nil) == 0, setegid(owner.group) == 0, seteuid(owner.user) == 0 else {
            return nil
        }
        defer {
            seteuid(0)
            setegid(0)
        }
        return Directory.ancestors(of: path)
            .first { faccessat(AT_FDCWD, $0, X_OK, AT_EACCESS) != 0 }
    }
}
