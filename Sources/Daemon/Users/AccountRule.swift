// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The user whose rights an app gets. The owner of its manifest is responsible for its contents, and can
/// grant only his own rights: root those of any user, other users only their own.
enum AccountRule {
    /// What a manifest asks for, with its names looked up. Nil: nothing.
    struct UserRequest: Equatable {
        var user: Account?
        var group: gid_t?
        var controlGroup: gid_t?
    }

    /// What the host of an app is started as.
    struct Grant: Equatable {
        var account: Account
        /// Nil if only the user and root may ask the host anything.
        var controlGroup: gid_t?
    }

    struct Refusal: Error, Equatable {
        var message: String
    }

    /// - Parameters:
    ///   - owner: Of the manifest.
    ///   - daemon: The user the daemon runs as.
    ///   - changesUsers: Whether it may start processes as others: it is root.
    static func grant(
        _ wish: UserRequest, owner: Account, daemon: Account, changesUsers: Bool
    ) throws(Refusal) -> Grant {
        var account = changesUsers ? owner : daemon
        if let user = wish.user, user.uid != account.uid {
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
            account = user
        }
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
}

extension AccountRule.UserRequest {
    /// What a manifest names, looked up in the databases of users and groups.
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
