// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunWire

@main
struct BGRun: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bgrun",
        abstract: "Runs tasks when the device can afford them.",
        discussion: """
            A manifest declares tasks and what they need; handlers are plugins (shared libraries), \
            commands, or C functions. `bgrun --manifest app.yaml` is short for `bgrun run`.

            Exit codes: 0 done; 1 an attempt failed or expired; 64 usage; 65 bad manifest; \
            66 no such file; 69 no host is running; 74 input/output error; \
            75 another host runs this app; 77 refused.
            """,
        version: Version.text,
        subcommands: [
            RunCommand.self, LintCommand.self, SubmitCommand.self, CancelCommand.self,
            PendingCommand.self, HistoryCommand.self, TriggerCommand.self, ExpireCommand.self,
            ExplainCommand.self, ReplayCommand.self, DeviceCommand.self, SimulateCommand.self,
            AuditCommand.self,
            PolicyCommand.self, OpenCommand.self, QuitCommand.self, RefreshCommand.self,
            PluginCommand.self,
        ],
        defaultSubcommand: RunCommand.self)
}
