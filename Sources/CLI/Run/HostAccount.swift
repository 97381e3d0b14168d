// SPDX-License-Identifier: Apache-2.0

import BGRunDaemon
import BGRunManifest
import BGRunStorage
import Glibc

/// Checks the user and the groups that a manifest names. Changes no rights: the program that starts the
/// host does, such as `bgrun daemon`.
enum HostAccount {
    /// The reason why this process may not run the app; nil if it may. Also called for a host of a daemon:
    /// another process has read the manifest that the daemon uses.
    static func refusal(of manifest: Manifest) -> String? {
        if let refusal = refusalOfOwner(of: manifest) { return refusal }
        if let name = manifest.account.user {
            guard let user = Account(named: name) else {
                return "this machine has no user \"\(name)\"; make it, or correct `user`"
            }
            if user.uid != geteuid() {
                return "its `user` is \(user.name), and bgrun runs as \(Account(geteuid()).name); "
                    + "run it by `runuser -u \(user.name) --`, or have root's `bgrun daemon` host it"
            }
        }
        if let name = manifest.account.group {
            guard let group = Account.group(named: name) else {
                return "this machine has no group \"\(name)\"; make it, or correct `group`"
            }
            if group != getegid() {
                return "its `group` is \(name), and bgrun runs in group \(getegid()); "
                    + "run it by `sg \(name)`, or have `bgrun daemon` host it"
            }
        }
        return nil
    }

    /// Another user's manifest must name this user: running it by mistake would give its owner all
    /// rights of this user.
    private static func refusalOfOwner(of manifest: Manifest) -> String? {
        var status = stat()
        guard manifest.account.user == nil, stat(manifest.absolutePath, &status) == 0,
            status.st_uid != 0, status.st_uid != geteuid()
        else { return nil }
        return "the manifest belongs to \(Account(status.st_uid).name), and bgrun runs as "
            + "\(Account(geteuid()).name); run it as its owner, copy it, or name `user` in it"
    }

    /// The home of the user to whom the manifest at `path` or this process belongs, if HOME is root's; nil: HOME
    /// applies.
    static func home(ofOwnerOf path: String) -> String? {
        guard Rights.startedAs == 0 else { return nil }
        if geteuid() != 0 { return Account(geteuid()).home }
        var status = stat()
        guard stat(path, &status) == 0, status.st_uid != 0 else { return nil }
        return Account(status.st_uid).home
    }

    /// Changes to the user's home directory, as at a login.
    static func goHome() {
        guard let home = getenv("HOME"), chdir(home) == 0 else {
            chdir("/")
            return
        }
    }

    /// The group whose members may ask the host of `manifest`, once its directory admits them; nil without
    /// such a group, or if it cannot be used, which is reported.
    static func controlGroup(of manifest: Manifest, in state: StateDirectory) -> gid_t? {
        var status = stat()
        guard let name = manifest.account.controlGroup else {
            // Left from a manifest that had the key.
            let isOpen = stat(state.path, &status) == 0 && status.st_mode & 0o7777 == 0o2710
            if isOpen { chmod(state.path, 0o700) }
            return nil
        }
        guard let group = Account.group(named: name) else {
            complain("this machine has no group \"\(name)\"; only the user itself has access")
            return nil
        }
        guard stat(state.path, &status) == 0,
            status.st_gid == group || chown(state.path, .max, group) == 0,
            status.st_gid == group && status.st_mode & 0o777 == 0o710
                || chmod(state.path, 0o2710) == 0
        else {
            complain(
                "\(state.path) cannot be opened to the group \(name): "
                    + "\(String(cString: strerror(errno))); only the user itself has access")
            return nil
        }
        return group
    }
}
