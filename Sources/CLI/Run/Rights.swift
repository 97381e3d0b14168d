// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunStorage
import Glibc

/// Root's rights, and how a command drops them before it reads files of another user.
enum Rights {
    /// The user this process started as: the location of the state does not change when root's
    /// rights are dropped.
    static let startedAs = geteuid()

    /// Switches this process permanently to `user` and only `group`. False on failure; the process
    /// must not continue then.
    static func become(_ user: uid_t, _ group: gid_t) -> Bool {
        _ = startedAs
        return setgroups(0, nil) == 0 && setgid(group) == 0 && setuid(user) == 0
            && geteuid() == user && (user == 0 || setuid(0) != 0)
    }

    /// Limits the resources of this process while it reads files of another user.
    static func limitResources() {
        let limits: [(resource: __rlimit_resource, most: rlim_t)] = [
            (RLIMIT_CPU, 60), (RLIMIT_CORE, 0), (RLIMIT_FSIZE, 1 << 30), (RLIMIT_NOFILE, 256),
            (RLIMIT_DATA, 4 << 30),
        ]
        for (resource, most) in limits {
            var limit = rlimit(rlim_cur: most, rlim_max: most)
            setrlimit(__rlimit_resource_t(resource.rawValue), &limit)
        }
    }
}

extension StateDirectory {
    /// Its owner and group, if this process is root and the owner is another user; nil otherwise. A
    /// link belongs to its creator.
    var foreignOwner: (user: uid_t, group: gid_t)? {
        var status = stat()
        guard geteuid() == 0, lstat(path, &status) == 0, status.st_uid != 0 else { return nil }
        return (status.st_uid, status.st_gid)
    }

    /// Makes root continue as the owner of this state: it reads no files of another user with its
    /// own rights.
    func becomeOwner() throws {
        guard let owner = foreignOwner else { return }
        do throws(SystemFailure) {
            try makeReachable(to: owner)
        } catch {
            throw Exit.refused.reporting(
                "user \(owner.user) cannot reach \(path), and this process cannot make it reachable "
                    + "(\(error)); give it CAP_SYS_ADMIN, or run bgrun as that user")
        }
        Rights.limitResources()
        guard Rights.become(owner.user, owner.group) else {
            throw Exit.refused.reporting(
                "\(path) belongs to user \(owner.user), and this process cannot continue as that user "
                    + "(\(String(cString: strerror(errno)))); give it CAP_SETUID and CAP_SETGID")
        }
    }
}
