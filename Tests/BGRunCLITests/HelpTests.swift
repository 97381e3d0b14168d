// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Testing

@testable import BGRunCLI

@Suite("The help of commands", .timeLimit(.minutes(10)))
struct HelpTests {
    /// Every command except those that only group others.
    private static func commands(
        below command: any ParsableCommand.Type = BGRun.self, path: [String] = []
    ) -> [(path: String, command: any ParsableCommand.Type)] {
        let configuration = command.configuration
        guard configuration.shouldDisplay else { return [] }
        let subcommands = configuration.subcommands
        guard subcommands.isEmpty else {
            return subcommands.flatMap {
                commands(below: $0, path: path + [$0.configuration.commandName ?? ""])
            }
        }
        return [(path.joined(separator: " "), command)]
    }

    /// The arguments of a command line: no word of an example contains a space.
    private static func arguments(_ line: Substring) -> [String] {
        line.prefix { $0 != ">" }.split(separator: " ").dropFirst().map(String.init)
    }

    @Test("the help of every command has a valid example")
    func examples() throws {
        let commands = Self.commands()
        try #require(commands.count > 40)
        for (path, command) in commands {
            let lines = command.configuration.discussion.split(separator: "\n")
            let line = try #require(
                lines.last { $0.hasPrefix("Example: ") }?.dropFirst("Example: ".count), "\(path)")
            #expect(line == "bgrun \(path)" || line.hasPrefix("bgrun \(path) "), "\(line)")
            #expect(throws: Never.self, "\(line)") {
                let parsed = try BGRun.parseAsRoot(Self.arguments(line))
                #expect(type(of: parsed) == command, "\(line)")
            }
        }
    }

    @Test("the example of `init` names the manifest, which is not written to standard output")
    func initExample() throws {
        let lines = InitCommand.configuration.discussion.split(separator: "\n")
        let line = try #require(lines.last?.dropFirst("Example: ".count))
        let command = try #require(try BGRun.parseAsRoot(Self.arguments(line)) as? InitCommand)
        #expect(command.file == "notes.yaml")
        #expect(!line.contains(">"))
    }

    @Test("every command is in a group")
    func groups() {
        let others = BGRun.configuration.ungroupedSubcommands
        #expect(others.allSatisfy { !$0.configuration.shouldDisplay })
        #expect(BGRun.configuration.groupedSubcommands.count == 5)
    }
}
