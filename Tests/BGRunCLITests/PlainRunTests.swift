// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Testing

@testable import BGRunCLI

@Suite("A run whose arguments need no parser", .timeLimit(.minutes(5)))
struct PlainRunTests {
    /// Sets every field of a run.
    private func values(_ run: AppRun) -> String {
        var text = ""
        dump(run, to: &text)
        return text
    }

    @Test(
        "has the same values as with the parser",
        arguments: [
            ["--manifest", "a.yaml"], ["-m", "a.yaml", "--once"],
            ["--once", "--quiet", "--manifest", "a.yaml", "--state", "/tmp/state"],
            ["--state", "s", "--manifest", "a.yaml", "--stay"],
            ["--manifest", "a.yaml", "--once", "--once"],
            ["--manifest=a=b.yaml", "--state=s", "-q"],
            ["--stay", "--manifest", "a.yaml", "--share", "7", "--state", "s", "--priorities"],
            ["-v", "--json", "-m", "a.yaml", "--once", "--wait-lock", "5m"],
        ])
    func equal(arguments: [String]) throws {
        let parsed = values(try RunCommand.parse(arguments).appRun)
        for named in [arguments, ["run"] + arguments] {
            let plain = try #require(AppRun(plain: named[...]))
            #expect(values(plain) == parsed)
        }
    }

    @Test(
        "uses the parser if it has other options or errors",
        arguments: [
            [], ["--once"], ["--manifest"], ["--manifest", ""], ["--manifest", "--manifest", "a"],
            ["--manifest", "a", "--manifest", "b"], ["--manifest", "a", "--state"],
            ["--manifest", "a", "--state", "b", "--state", "c"], ["--manifest", "--once"],
            ["--manifest", "a", "--once", "--stay"], ["--manifest", "a", "b"],
            ["--manifest=", "--once"], ["-m=a"], ["--help"], ["--manifest", "a", "--once=1"],
            ["--manifest", "a", "-qv"], ["--manifest", "a", "-q", "-v"],
            ["--manifest", "a", "--json", "--priorities"], ["--manifest", "a", "--wait-lock", "x"],
            ["--manifest", "a", "--share", "x"], ["--manifest", "a", "--device", "host"],
            ["--manifest", "a", "--", "--once"], ["run"], ["run", "run", "--manifest", "a"],
            ["lint", "--manifest", "a"], ["--manifest", "a", "run"],
        ])
    func other(arguments: [String]) {
        #expect(AppRun(plain: arguments[...]) == nil)
    }
}
