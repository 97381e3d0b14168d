// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Testing

@testable import BGRunCLI

@Suite("A run whose arguments need no parser", .timeLimit(.minutes(1)))
struct PlainRunTests {
    /// Every value of a command, also of the options in groups.
    private func values(_ command: RunCommand) -> String {
        var text = ""
        dump(command, to: &text)
        return text
    }

    @Test(
        "has the same values as with the parser",
        arguments: [
            ["--manifest", "a.yaml"], ["-m", "a.yaml", "--once"],
            ["--once", "--quiet", "--manifest", "a.yaml", "--state", "/tmp/state"],
            ["--state", "s", "--manifest", "a.yaml", "--stay"],
            ["--manifest", "a.yaml", "--once", "--once"],
        ])
    func equal(arguments: [String]) throws {
        let plain = try #require(RunCommand.plain(arguments[...]))
        #expect(values(plain) == values(try RunCommand.parse(arguments)))
    }

    @Test(
        "uses the parser if it has other options or errors",
        arguments: [
            [], ["--once"], ["--manifest"], ["--manifest", ""], ["--manifest", "--manifest", "a"],
            ["--manifest", "a", "--manifest", "b"], ["--manifest", "a", "--state"],
            ["--manifest", "a", "--state", "b", "--state", "c"], ["--manifest", "--once"],
            ["--manifest", "a", "--once", "--stay"], ["--manifest", "a", "b"],
            ["--manifest=a", "--once"], ["--manifest", "a", "--json"], ["--help"],
            ["--manifest", "a", "--", "--once"],
        ])
    func other(arguments: [String]) {
        #expect(RunCommand.plain(arguments[...]) == nil)
    }
}
