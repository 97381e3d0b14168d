// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Each layout in `Tests/ABI` belongs to a released version; `Tests/ABI` has its headers, too, except the newest,
/// which are in `Sources/ABI`.
@Suite("Plugins of earlier versions of the ABI", .timeLimit(.minutes(5)))
struct OldPluginTests {
    private static let folder = Built.package + "/Tests/ABI"

    /// The versions, the oldest first.
    private static let versions: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.filter { $0.hasPrefix("layout-") && $0.hasSuffix(".txt") }
            .map { String($0.dropFirst("layout-".count).dropLast(".txt".count)) }
            .sorted { $0.compare($1, options: .numeric) == .orderedAscending }
    }()

    private static func headers(_ version: String) -> String {
        version == versions.last
            ? Built.package + "/Sources/ABI/include" : folder + "/headers/" + version
    }

    @Test("a plugin that was compiled with any version's headers runs", arguments: versions)
    func runs(_ version: String) async throws {
        try #require(Self.versions.count >= 6)
        try await Sandbox.with { box in
            let plugin = box.directory + "/old.so"
            let compiled = try await Running(
                "/usr/bin/cc",
                [
                    "-std=c17", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-I",
                    Self.headers(version), "-o", plugin,
                    Built.package + "/Tests/BGRunIntegrationTests/Fixtures/old.c",
                ], environment: ["PATH": "/usr/bin:/bin"]
            ).end()
            try #require(compiled.code == 0, "\(compiled.error)")
            try box.write(
                plugins: ["old": plugin], rest: "policy: {profile: server}",
                tasks: """
                    org.test.run: {kind: processing, handler: old.run, parameters: {a: 1}}
                    org.test.next: {kind: processing, handler: old.run, submit: manual}
                    """)
            let run = try await box.run("run", "--once")
            #expect(run.error.contains("ABI \(version): 0 failures"), "\(run.error)")
            #expect(run.code == 0)
            await box.expectNothingLeft()
        }
    }
}
