// SPDX-License-Identifier: Apache-2.0

import BGRunSupervisor
import Testing

@Suite("A plugin that is only looked at", .timeLimit(.minutes(1)))
struct ProbeTests {
    @Test("has one time limit, however often it logs a line before its init returns")
    func deadline() throws {
        let plugin = try PlayedHost.compiled("init-logs")
        let image = PluginImage(displayPath: plugin, path: plugin, descriptor: nil, owner: nil)
        let probe = PluginProbe(executable: Built.directory + "/bgrun-worker")
        // Its init takes longer than that, and is never silent for as long.
        let finding = try probe.load(image, timeout: 2_000) { _ in }
        guard case .hung = finding else {
            Issue.record("\(finding)")
            return
        }
    }
}
