// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The manifest itself, its plugins, device and policy.
extension Section {
    static let root = Section("the manifest") {
        Key("bgrun", .integer(1...1), isRequired: true, as: "`1`", "version of the format")
        Key(
            "app", .identifier, isRequired: true,
            "name of the app, its state and its lock ([renaming](operations.md#another-name))")
        Key(
            "modes", .list(of: .words(Mode.self), isUnique: true),
            "modes that its [kinds of task](which-kind.md#the-kinds) need")
        Key(
            "permitted_identifiers", .list(of: .identifiers, isUnique: true), isRequired: true,
            as: "identifiers", "those that may be submitted; a last part `*` matches any suffix")
        Key(
            "plugins", .mapping(names: .name, values: .either([.path, .section(plugin)])),
            as: "mapping", "[libraries](#a-plugin) with the handlers, by name")
        Key(
            "tasks", .mapping(names: .identifiers, values: .section(task)), isRequired: true,
            as: "mapping", "[tasks](#a-task) by identifier")
        Key(
            "confine", .confinement, default: "`none`", as: Section.confinementWords,
            "what handlers may do")
        Key("device", .section(device), "[readings](#the-device) that replace the machine's")
        Key(
            "policy", .section(policy), "[numbers](#the-policy)",
            hint: "The profile of the policy, and numbers that replace its own")
        Key(
            "user", .account, default: "the manifest's owner", as: "user name, or quoted number",
            "user of the tasks under [root's daemon](operations.md#users); other hosts refuse another "
                + "user's manifest")
        Key(
            "group", .account, default: "the user's", as: "group name, or quoted number",
            "group of the tasks")
        Key(
            "control_group", .account, as: "group name, or quoted number",
            "its members may [query the host](operations.md#access-to-the-host)")
        Key(
            "hooks", .list(of: .section(hook)), as: "list",
            "[commands and web requests](#a-hook) after events")
        Key(
            "transfers", .mapping(names: .identifier, values: .section(transfer)), as: "mapping",
            "[downloads and uploads](#a-transfer) without a handler, by identifier")
        Key("push", .section(push), "[sources of pushes](#pushes) besides `bgrun push`")
    }

    static let plugin = Section("a plugin") {
        Key("path", .path, isRequired: true, as: "path, or installed plugin", "the shared library")
        Key(
            "sha256", .digest, as: "64 hexadecimal digits",
            "files with another digest are not loaded")
        Key(
            "workers", .count(1...256), default: "no limit",
            "attempts of its handlers at once; 1 for a plugin with state in memory")
        Key(
            "confine", .confinement, default: "the manifest's", as: Section.confinementWords,
            "what its handlers may do")
    }

    /// Readings without a meaning use the words of `requires`.
    static let device = Section("`device`") {
        Key("power", .words(["external", "battery"]))
        Key("battery", .percentage)
        Key("low_power_mode", .flag)
        Key("network", .words(["none", "metered", "unmetered"]))
        Key("idle", .flag, "the device is unused")
        Key("thermal", .words(ThermalState.allCases.map(\.name)))
        Key(
            "pressure", .words(["normal"]),
            as:
                "`normal`; `high` is refused: [it has no effect](policy.md#taking-time-away) at the "
                + "start")
        PlainReading.all.map {
            Key($0.name, $0.required == nil ? .flag : .words([$0.words.no, $0.words.yes]))
        }
    }

    /// Docs/policy.md contains its table.
    static let policy = Section("`policy`") {
        Key("profile", .words(Policy.Profile.self), "Initial numbers.")
        PolicySetting.all.map { Key($0.name, $0.form, $0.meaning, hint: $0.hint) }
    }
}
