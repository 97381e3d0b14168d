// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunShims
import Glibc
import Testing

@testable import BGRunSupervisor

@Suite("A worker that lacks descriptors for its plugin", .timeLimit(.minutes(5)))
struct LoadTests {
    @Test("reports the reason once, and loads the plugin when there are enough")
    func descriptors() throws {
        let plugin = try PlayedHost.compiled("plain")
        var spawn = WorkerSpawn(executable: Built.directory + "/bgrun-worker", lineLimit: 4_096)
        // The worker's descriptors: three streams, two channels, the plugin's file and a timer.
        spawn.descriptorLimit = 7
        let worker = try spawn.start(
            WorkerKey(plugin: plugin, environment: [:]),
            PluginImage(displayPath: plugin, path: plugin, descriptor: nil, owner: nil))
        defer { PlayedHost.end(worker) }
        var reasons: [String] = []
        var errors: [Int32] = []
        var loaded: WorkerMessage.Loaded?
        while loaded == nil {
            for message in try PlayedHost.messages(of: worker) {
                switch message {
                case .log(_, _, let text):
                    reasons.append(text)
                    try #require(bgrun_limit_descriptors(worker.pid, 256) == 7)
                case .waiting(attempt: 0, let error): errors.append(error)
                case .loaded(let found): loaded = found
                case .refused(let reason): throw PlayedHost.Failure(description: reason)
                default: break
                }
            }
        }
        #expect(loaded?.handlers == ["run"])
        #expect(errors == [EMFILE])
        #expect(reasons.count == 1)
        #expect(reasons.first?.contains("waits to be loaded: ") == true)
        #expect(reasons.first?.hasSuffix(": Too many open files") == true)
    }
}
