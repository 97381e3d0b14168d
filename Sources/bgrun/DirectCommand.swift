// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

extension BGRun {
    /// What programs call often. None of them has commands of its own or takes unknown options.
    private static let frequent: [any ParsableCommand.Type] = [
        RunCommand.self, SubmitCommand.self, CancelCommand.self, PendingCommand.self,
        ExplainCommand.self, PushCommand.self,
    ]

    /// The command of `arguments`, read without the other commands, of which ArgumentParser would make a
    /// tree first. Nil where it needs them: for another command, for help, and to say what is wrong.
    static func direct(_ arguments: ArraySlice<String>) -> (any ParsableCommand)? {
        guard let word = arguments.first else { return nil }
        if let run = RunCommand(plain: word == "run" ? arguments.dropFirst() : arguments) {
            return run
        }
        if word.hasPrefix("-") { return read(RunCommand.self, arguments) }
        guard let type = frequent.first(where: { $0.configuration.commandName == word }) else {
            return nil
        }
        return read(type, arguments.dropFirst())
    }

    private static func read<Command: ParsableCommand>(
        _ type: Command.Type, _ arguments: ArraySlice<String>
    ) -> Command? {
        // Asked for help, it is another command.
        try? type.parseAsRoot(Array(arguments)) as? Command
    }
}
