// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

extension BGRun {
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
