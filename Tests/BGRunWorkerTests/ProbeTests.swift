// SPDX-License-Identifier: Apache-2.0

import BGRunSupervisor
import Glibc
import Testing

@Suite("A plugin that is only inspected", .timeLimit(.minutes(5)))
struct ProbeTests {
    @Test("gets the given home as the app's, and no inherited one")
    func home() throws {
        let plugin = try PlayedHost.compiled("init-home")
        let image = PluginImage(displayPath: plugin, path: plugin, descriptor: nil, owner: nil)
        let probe = PluginProbe(executable: Built.directory + "/bgrun-worker", home: "/given")
        var lines: [String] = []
        _ = try probe.load(image) { lines.append($0) }
        #expect(lines == ["/given", ""])
    }

    @Test("that ends its worker is reported at once with the kind of the end")
    func dead() throws {
        let plugin = try PlayedHost.compiled("init-exits")
        let image = PluginImage(displayPath: plugin, path: plugin)
        let probe = PluginProbe(executable: Built.directory + "/bgrun-worker", home: "/nonexistent")
        guard
            case .died("it ended its process with exit code 7") = try probe.load(
                image, log: { _ in })
        else {
            Issue.record("it is not known")
            return
        }
    }

    @Test("has one time limit, however often it logs before its init returns, and is reaped")
    func deadline() throws {
        let plugin = try PlayedHost.compiled("init-logs")
        let image = PluginImage(displayPath: plugin, path: plugin, descriptor: nil, owner: nil)
        let probe = PluginProbe(
            executable: Built.directory + "/bgrun-worker", home: "/nonexistent")
        // The plugin's init takes longer than the timeout, but logs more often.
        var process: pid_t?
        let finding = try probe.load(image, timeout: 2_000) { process = pid_t($0) }
        guard case .hung = finding else {
            Issue.record("\(finding)")
            return
        }
        #expect(kill(try #require(process), 0) == -1 && errno == ESRCH, "it is a zombie")
    }
}
