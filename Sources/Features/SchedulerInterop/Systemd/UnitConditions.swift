// SPDX-License-Identifier: Apache-2.0

/// The conditions and the order in `[Unit]`.
enum UnitConditions {
    static func take(
        _ setting: UnitFile.Setting, _ requires: inout [PortableTask.Requirement],
        _ notes: inout [ConversionNote]
    ) {
        func require(_ key: String, _ value: String) {
            let requirement = PortableTask.Requirement(key: key, value: value)
            if !requires.contains(requirement) { requires.append(requirement) }
        }
        func note(
            _ weight: ConversionNote.Weight, _ word: String, _ instead: String,
            _ remedy: String = ""
        ) {
            let note = ConversionNote(
                weight: weight, place: setting.place, word: word, instead: instead, remedy: remedy)
            if !notes.contains(note) { notes.append(note) }
        }
        func noteOtherUnits(_ actions: String) {
            let others = setting.value.words.filter { !isOfBoot($0) }
            guard !others.isEmpty else { return }
            note(
                .lost, "\(setting.key)=\(others.joined(separator: " "))",
                "bgrun does not \(actions) other units")
        }
        let isTrue = UnitFile.truths.contains(setting.value.lowercased())
        switch setting.key {
        case "Description", "Documentation", "DefaultDependencies", "SourcePath",
            "StopWhenUnneeded", "RefuseManualStart", "RefuseManualStop", "IgnoreOnIsolate",
            "CollectMode":
            break
        case "ConditionACPower" where isTrue:
            require("power", "external")
            note(
                .changed, setting.key,
                "the launch waits for external power, and is revoked when it is lost; systemd leaves "
                    + "that run out")
        case "After", "Wants", "Requires", "BindsTo", "Requisite":
            if setting.value.words.contains("network-online.target") {
                require("network", "any")
                note(
                    .changed, "network-online.target",
                    "`requires: {network: any}`: the launch waits for a network, whenever it is lost"
                )
            }
            noteOtherUnits("order or start")
        case "Before", "PartOf", "Conflicts", "OnFailure", "OnSuccess":
            noteOtherUnits("order, stop or start")
        case let key where key.hasPrefix("StartLimit"): break
        case let key where key.hasPrefix("Condition") || key.hasPrefix("Assert"):
            note(
                .lost, "\(key)=\(setting.value)", "it is not tested",
                "test it in the command: `test ... || exit 0; ...`")
        case let key:
            note(.lost, key, "bgrun has no such setting")
        }
    }

    /// Units that are always active while a host runs.
    private static func isOfBoot(_ unit: String) -> Bool {
        [
            "network-online.target", "network.target", "local-fs.target", "time-sync.target",
            "time-set.target", "basic.target", "sysinit.target", "timers.target",
            "multi-user.target", "shutdown.target", "systemd-journald.socket",
            "nss-lookup.target", "syslog.target", "remote-fs.target", "default.target",
            "initrd-switch-root.target",
        ].contains(unit)
    }
}
