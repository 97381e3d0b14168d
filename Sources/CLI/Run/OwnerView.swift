// SPDX-License-Identifier: Apache-2.0

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
    func makeReachable(to owner: (user: uid_t, group: gid_t)) throws(MountFailure) {
        guard let resolved = realpath(path, nil) else { return }
        defer { free(resolved) }
        let target = String(cString: resolved)
        guard let closed = Self.firstUnsearchable(target, owner) else { return }
        let unshared = bgrun_unshare_mounts()
        guard unshared == 0 else {
            throw MountFailure(step: "make a mount namespace", code: -unshared)
        }
        // Opened before the mount; does not follow a link in its place.
        let descriptor = open(target, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        try MountFailure.check("open \(target)", descriptor)
        defer { close(descriptor) }
        try MountFailure.mount("tmpfs", closed, "tmpfs", UInt(MS_NOSUID | MS_NODEV | MS_NOEXEC))
        try MountFailure.check("open \(closed)", chmod(closed, 0o755))
        for directory in Directory.ancestors(of: target) + [target]
        where directory.utf8.count > closed.utf8.count {
            try MountFailure.check("make \(directory)", mkdir(directory, 0o755))
        }
        try MountFailure.mount("/proc/self/fd/\(descriptor)", target, nil, UInt(MS_BIND))
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

/// A failed step.
struct MountFailure: Error {
    let step: String
    let code: Int32

    var text: String { "\(step): \(String(cString: strerror(code)))" }

    fileprivate static func check(_ step: String, _ result: Int32) throws(MountFailure) {
        if result < 0 { throw MountFailure(step: step, code: errno) }
    }

    fileprivate static func mount(
        _ source: String, _ target: String, _ type: String?, _ flags: UInt
    ) throws(MountFailure) {
        try check("mount \(target)", Glibc.mount(source, target, type, flags, nil))
    }
}
