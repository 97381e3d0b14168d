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

    private struct Result: Encodable {
        var profile: String
        var settings: [Row]
    }

    private struct Row: Encodable {
        var name: String
        var value: Int64
        /// The unit of `value`, `apple` and `server`; null for plain counts.
        var unit: String?
        var text: String
        var apple: Int64
        var server: Int64
        var origin: String
    }

    func run() throws {
        let policy = try app.readManifest(checkingFiles: false).policy
        if output.json { return print(try JSONOutput.text(result(policy))) }
        var table = Table("NAME", "IN FORCE", "APPLE", "SERVER", "ORIGIN")
        for setting in PolicySetting.all {
            table.add(
                setting.name, setting.text(in: policy), setting.text(in: .apple),
                setting.text(in: .server), setting.origin)
        }
        print("profile: \(policy.profile.rawValue)\n\n" + table.text)
    }

    private func result(_ policy: Policy) -> Result {
        Result(
            profile: policy.profile.rawValue,
            settings: PolicySetting.all.map { setting in
                Row(
                    name: setting.name, value: setting.value(in: policy), unit: setting.unit,
                    text: setting.text(in: policy), apple: setting.value(in: .apple),
                    server: setting.value(in: .server), origin: setting.origin)
            })
    }
}
