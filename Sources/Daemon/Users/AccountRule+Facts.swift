// SPDX-License-Identifier: Apache-2.0

extension AccountRule.UserRequest {
    /// What a manifest names, looked up in the databases of users and groups.
    init(_ facts: ManifestFacts) throws(AccountRule.Refusal) {
        if let name = facts.user {
            guard let user = Account(named: name) else { throw Self.unknown("user", name) }
            self.user = user
        }
        if let name = facts.group {
            guard let group = Account.group(named: name) else { throw Self.unknown("group", name) }
            self.group = group
        }
        if let name = facts.controlGroup {
            guard let group = Account.group(named: name) else { throw Self.unknown("group", name) }
            controlGroup = group
        }
    }

    private static func unknown(_ kind: String, _ name: String) -> AccountRule.Refusal {
        AccountRule.Refusal(
            message: "this machine has no \(kind) \"\(name)\"; make it, or correct the manifest")
    }
}
