// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunManifest
import BGRunPolicy

struct PolicyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract: "Show every number of the policy and its source.",
        discussion: """
            The numbers in force are those of the manifest's profile and `policy`.

            Example: bgrun policy -m notes.yaml
            """)

    @OptionGroup var app: ManifestOptions
    @OptionGroup var output: JSONOption

    func run() throws {
        let policy = try ManifestFile(path: app.manifest).read(checkingFiles: false).policy
        if output.json { return print(try JSONOutput.text(json(policy))) }
        var table = Table("NAME", "IN FORCE", "APPLE", "SERVER", "ORIGIN")
        for setting in PolicySetting.all {
            table.add(
                setting.name, setting.text(in: policy), setting.text(in: .apple),
                setting.text(in: .server), setting.origin)
        }
        print("profile: \(policy.profile.rawValue)\n\n" + table.text)
    }

    private func json(_ policy: Policy) -> JSONValue {
        let settings = PolicySetting.all.map { setting in
            JSONValue.members([
                "name": .string(setting.name), "value": .integer(setting.value(in: policy)),
                // That of `value`, `apple` and `server`; omitted for plain counts.
                "unit": setting.unit.map(JSONValue.string),
                "text": .string(setting.text(in: policy)),
                "apple": .integer(setting.value(in: .apple)),
                "server": .integer(setting.value(in: .server)), "origin": .string(setting.origin),
            ])
        }
        return .members([
            "profile": .string(policy.profile.rawValue), "settings": .array(settings),
        ])
    }
}
