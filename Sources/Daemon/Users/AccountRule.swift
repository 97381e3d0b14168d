// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The user whose rights an app gets. The owner of its manifest is responsible for its contents, and can
/// grant only the owner's rights: root those of any user, other users only their own.
package enum AccountRule {
    /// The user and groups that a manifest requests, with their names looked up. Nil: not requested.
    struct UserRequest: Equatable {
        var user: Account?
        var group: gid_t?
        var controlGroup: gid_t?
    }

    /// The user and groups of an app's host.
    struct Grant: Equatable {
        var account: Account
        /// Nil if only the user and root may send requests to the host.
        var controlGroup: gid_t?
    }

    package struct Refusal: Error, Equatable {
        var message: String
    }

    /// - Parameters:
    ///   - owner: The owner of the manifest.
    ///   - daemon: The user the daemon runs as.
    ///   - changesUsers: Whether it may start processes as other users: it is root.
    static func grant(
        _ wish: UserRequest, owner: Account, daemon: Account, changesUsers: Bool
    ) throws(Refusal) -> Grant {
        var account = try account(
            wish.user, owner: owner, daemon: daemon, changesUsers: changesUsers)
        let isRoots = changesUsers && owner.uid == 0
        for (key, group) in [("group", wish.group), ("control_group", wish.controlGroup)] {
            guard let group, !isRoots, !account.groups.contains(group) else { continue }
            throw Refusal(
                message:
                    "\(account.name) is not in its `\(key)`; add him to the group, drop the key, "
                    + "or chown the file to root and have root's daemon host it")
        }
        if let group = wish.group {
            account.gid = group
            if !account.groups.contains(group) { account.groups.append(group) }
        }
        return Grant(account: account, controlGroup: wish.controlGroup)
    }

    /// The user, with their own groups.
    ///
    /// - Parameter user: The user that the manifest requests, if any.
    package static func account(
        _ user: Account?, owner: Account, daemon: Account, changesUsers: Bool
    ) throws(Refusal) -> Account {
        let account = changesUsers ? owner : daemon
        guard let user, user.uid != account.uid else { return account }
        guard changesUsers else {
            throw Refusal(
                message: "its `user` is \(user.name), and the daemon runs as \(daemon.name); "
                    + "drop `user`, or let root's daemon host it")
        }
        guard owner.uid == 0 else {
            throw Refusal(
                message: "its `user` is \(user.name), and it belongs to \(owner.name); "
                    + "chown it to root, or drop `user`")
        }
        return user
    }
}

extension AccountRule.UserRequest {
    /// The users and groups of a manifest, looked up in the databases.
    init(_ facts: ManifestFacts) throws(AccountRule.Refusal) {
        user = try Self.find("user", facts.user) { Account(named: $0) }
        group = try Self.find("group", facts.group) { Account.group(named: $0) }
        controlGroup = try Self.find("group", facts.controlGroup) { Account.group(named: $0) }
    }

    private static func find<Found>(
        _ kind: String, _ name: String?, in database: (String) -> Found?
    ) throws(AccountRule.Refusal) -> Found? {
        guard let name else { return nil }
        if let found = database(name) { return found }
        throw AccountRule.Refusal(
            message: "this machine has no \(kind) \"\(name)\"; make it, or correct the manifest")
    }
}
