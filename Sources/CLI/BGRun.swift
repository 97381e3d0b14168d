// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunPolicy
import BGRunProtocol

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
        subcommands: [ReadAppCommand.self],
        groupedSubcommands: [
            CommandGroup(
                name: "Run and observe",
                subcommands: [
                    RunCommand.self, PendingCommand.self, HistoryCommand.self, LogsCommand.self,
                    ExplainCommand.self, NextCommand.self, TopCommand.self, ReportCommand.self,
                    DashboardCommand.self, MetricsCommand.self, DoctorCommand.self,
                ]),
            CommandGroup(
                name: "Control",
                subcommands: [
                    SubmitCommand.self, CancelCommand.self, TriggerCommand.self,
                    ExpireCommand.self, PushCommand.self, TransfersCommand.self, OpenCommand.self,
                    QuitCommand.self, RefreshCommand.self,
                ]),
            CommandGroup(
                name: "Develop",
                subcommands: [
                    InitCommand.self, AdviseCommand.self, LintCommand.self, PluginCommand.self,
                    SimulateCommand.self, ExerciseCommand.self, VerifyCommand.self,
                    AuditCommand.self, ReplayCommand.self,
                ]),
            CommandGroup(
                name: "Move from and to other schedulers",
                subcommands: [ImportCommand.self, ExportCommand.self]),
            CommandGroup(
                name: "Operate",
                subcommands: [
                    DaemonCommand.self, AppsCommand.self, DeviceCommand.self, PolicyCommand.self,
                    PermissionsCommand.self,
                    HooksCommand.self,
                ]),
        ],
        defaultSubcommand: RunCommand.self)
}

/// The program `bgrun`.
package enum CommandLineProgram {
    /// Runs the command that the arguments name, and exits with its code.
    package static func run() {
        let arguments = CommandLine.arguments.dropFirst()
        if let run = AppRun(plain: arguments) {
            return self.run { try run.run() }
        }
        if let message = BGRun.repetition(in: arguments) {
            complain(message)
            BGRun.exit(withError: ExitCode.validationFailure)
        }
        if var command = BGRun.direct(arguments) { return run { try command.run() } }
        let isHelp = arguments.first == "help"
        if let word = isHelp ? arguments.dropFirst().first : arguments.first,
            let message = BGRun.objection(to: word)
        {
            complain(message)
            BGRun.exit(withError: ExitCode.validationFailure)
        }
        if let typo = BGRun.misspelledManifest(in: arguments) {
            BGRun.exit(
                withError: ValidationError(
                    "Unknown option '\(typo)'. Did you mean '--manifest'?"))
        }
        run {
            var command = try BGRun.parseAsRoot()
            try command.run()
        }
    }

    private static func run(_ body: () throws -> Void) {
        do {
            do { try body() } catch {
                let error = exitError(reporting: error)
                guard BGRun.exitCode(for: error).isSuccess else { throw error }
                // Help, a version or a script for completion.
                let message = BGRun.fullMessage(for: error)
                if !message.isEmpty { print(message) }
            }
            try flushOutput()
        } catch {
            BGRun.exit(withError: error)
        }
    }
}

extension BGRun {
    /// Why a command about one app cannot take `arguments`, which name several apps: the parser would use
    /// the last one.
    static func repetition(in arguments: ArraySlice<String>) -> String? {
        if ["lint", "top", "dashboard", "metrics"].contains(arguments.first) { return nil }
        let options = arguments.prefix { $0 != "--" }
        var names = [("--manifest", "-m"), ("--app", "--app")]
        // `submit` may repeat `--tag`: a request may have several tags.
        if arguments.first != "submit" { names.append(("--tag", "--tag")) }
        for (long, short) in names {
            let count = options.count { $0 == long || $0 == short || $0.hasPrefix(long + "=") }
            if count > 1 { return "\(long) is given \(count) times: this command takes one" }
        }
        return nil
    }

    /// The misspelled `--manifest` option of `run`: the parser would only report `--manifest` as missing.
    static func misspelledManifest(in arguments: ArraySlice<String>) -> String? {
        guard let first = arguments.first, first == "run" || first.hasPrefix("-") else {
            return nil
        }
        let options = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("-") }
        let names = options.map { String($0.prefix { $0 != "=" }) }
        guard !names.contains(where: { $0 == "--manifest" || $0 == "-m" || $0 == "--help" }) else {
            return nil
        }
        return names.first {
            $0.hasPrefix("--") && NearMiss.nearest(to: $0, among: ["--manifest"]) != nil
        }
    }

    /// The error of the first argument, which must be a command or an option: `run`, the default command,
    /// takes no other words.
    static func objection(to word: String) -> String? {
        let names = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
        if word.hasPrefix("-") || names.contains(word) { return nil }
        if word.hasSuffix(".yaml") || word.hasSuffix(".yml") {
            return "to run a manifest write `bgrun --manifest \(word)`"
        }
        return "unknown command \"\(word)\""
            + NearMiss.hint(word, among: names, else: "; `bgrun --help` lists them")
    }

    /// Commands that programs call often. They have no subcommands, and accept no unknown options.
    private static let frequent: [any ParsableCommand.Type] = [
        RunCommand.self, SubmitCommand.self, CancelCommand.self, PendingCommand.self,
        ExplainCommand.self, PushCommand.self,
    ]

    /// The command of `arguments`, parsed without the parsers of all other commands, which take a
    /// fifth of a short run. Nil where these are needed: for another command, for help, and to
    /// report errors.
    static func direct(_ arguments: ArraySlice<String>) -> (any ParsableCommand)? {
        guard let word = arguments.first else { return nil }
        if word.hasPrefix("-") { return parse(RunCommand.self, arguments) }
        guard let type = frequent.first(where: { $0.configuration.commandName == word }) else {
            return nil
        }
        return parse(type, arguments.dropFirst())
    }

    private static func parse<Command: ParsableCommand>(
        _ type: Command.Type, _ arguments: ArraySlice<String>
    ) -> Command? {
        // For help, the parser returns a command of another type.
        try? type.parseAsRoot(Array(arguments)) as? Command
    }
}
