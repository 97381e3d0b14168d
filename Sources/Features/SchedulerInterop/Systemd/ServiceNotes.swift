// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Settings of `[Service]` that manifests do not have.
enum ServiceNotes {
    static func take(_ setting: UnitFile.Setting, _ notes: inout [ConversionNote]) {
        if setting.section == "Install" || setting.section.hasPrefix("X-") { return }
        guard setting.section == "Service" else {
            return notes.add(
                .lost, setting.place, "[\(setting.section)] \(setting.key)",
                "bgrun has no such setting")
        }
        switch setting.key {
        case "ExecStart", "ExecStartPre", "ExecStartPost", "Environment", "EnvironmentFile",
            "WorkingDirectory", "User", "Nice", "IOSchedulingClass", "IOSchedulingPriority",
            "TimeoutStartSec", "TimeoutSec", "RuntimeMaxSec", "Restart", "RestartSec",
            "SuccessExitStatus", "KillSignal", "StartLimitBurst", "StartLimitInterval",
            "SyslogIdentifier":
            break
        case "StandardInput" where ["data", "null"].contains(setting.value): break
        case "StandardInputText": break
        case "TimeoutStopSec" where (TimeSpan.interval(setting.value) ?? .zero) <= .minutes(5):
            break
        case "TimeoutStopSec":
            add(
                .changed, "TimeoutStopSec=\(setting.value)",
                "the grace is 5m, the longest `grace_maximum` of the profile `server` allows")
        case "CPUSchedulingPolicy" where setting.value == "idle": break
        case "Type" where ["oneshot", "simple", "exec", "idle"].contains(setting.value): break
        case "Type":
            add(
                .lost, "Type=\(setting.value)", "an attempt is over when its command ends",
                "a service that continues in the background belongs to systemd")
        case "StandardOutput"
        where ["journal", "inherit", "kmsg", "journal+console"].contains(setting.value),
            "StandardError"
        where ["journal", "inherit", "kmsg", "journal+console"].contains(setting.value):
            add(.changed, setting.key, "output goes to the host's log and its history")
        case "StandardOutput", "StandardError", "StandardInput":
            add(
                .lost, "\(setting.key)=\(setting.value)",
                "output goes to the host's log and its history",
                "redirect it in the command")
        case "Group", "SupplementaryGroups":
            add(.lost, setting.key, "the groups are the user's")
        case "ExecCondition", "ExecStop", "ExecStopPost", "ExecReload":
            add(.lost, setting.key, "it is not run", "make it part of the command")
        case "LogLevelMax", "KillMode", "SendSIGKILL", "RemainAfterExit", "OOMPolicy":
            add(.changed, "\(setting.key)=\(setting.value)", "bgrun has a rule of its own for that")
        case let key
        where isFence(key) && ["no", "false", "0", "off", "infinity"].contains(setting.value):
            break
        case let key where isFence(key):
            add(
                .lost, "\(key)=\(setting.value)", "the command runs without this limit or fence",
                "run it with `systemd-run --pipe --wait -p \(key)=...`")
        case let key:
            add(.lost, key, "bgrun has no such setting")
        }

        func add(
            _ weight: ConversionNote.Weight, _ word: String, _ instead: String,
            _ remedy: String = ""
        ) {
            notes.add(weight, setting.place, word, instead, remedy)
        }
    }

    /// Sandboxing and resource control.
    private static func isFence(_ key: String) -> Bool {
        let prefixes = [
            "Private", "Protect", "Restrict", "SystemCall", "Capability", "Ambient", "NoNew",
            "ReadOnly", "ReadWrite", "Inaccessible", "Memory", "CPU", "IO", "Tasks", "Limit",
            "Lock", "Device", "IPAddress", "Slice", "Dynamic", "State", "Cache", "Runtime", "Logs",
            "Configuration", "UMask", "OOMScore", "Bind", "Temporary", "Root", "Remove", "Keyring",
            "Delegate", "Secure", "Mount", "Network",
        ]
        return prefixes.contains(where: key.hasPrefix)
    }
}
