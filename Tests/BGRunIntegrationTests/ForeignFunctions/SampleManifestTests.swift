// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("Sample manifests of foreign calls", .timeLimit(.minutes(5)))
struct SampleManifestTests {
    /// Copies a sample, and makes it write into the scene.
    private func sample(_ name: String) throws -> Scene {
        let scene = try Scene()
        let url = URL(filePath: Built.package + "/manifests/\(name)")
        let text = try String(contentsOf: url, encoding: .utf8)
        let moved = text.replacingOccurrences(of: "/tmp/", with: scene.path + "/")
        try #require(moved != text)
        try scene.write(name, moved)
        return scene
    }

    @Test("Python's zlib decompresses the output of zlib.yaml")
    func zlib() throws {
        let scene = try sample("zlib.yaml")
        let run = try scene.run("zlib.yaml")
        #expect(run.status == 0)
        #expect(run.attempts.map(\.outcome) == ["completed"])
        let original = try #require(scene.contents("zlib.yaml"))
        let packed = try #require(scene.contents("bgrun-sample.z"))
        #expect(packed.count < original.count)
        #expect(
            run.attempts.first?.message
                == "saved \(packed.count) bytes to \(scene.path)/bgrun-sample.z")
        let unpacked = try scene.python(
            "import sys, zlib; print(zlib.decompress(open(sys.argv[1], 'rb').read()).hex())",
            "\(scene.path)/bgrun-sample.z")
        let hex = original.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(unpacked == hex + "\n")
    }

    @Test("Python's sqlite3 reads the database of sqlite-exec.yaml")
    func sqlite() throws {
        let scene = try sample("sqlite-exec.yaml")
        for count in 1...2 {
            let run = try scene.run("sqlite-exec.yaml")
            #expect(run.status == 0)
            #expect(run.attempts.allSatisfy { $0.outcome == "completed" })
            #expect(run.log.contains { $0.text.contains("(NULL, 2, [\"\(count)\", ") })
        }
        let rows = try scene.python(
            """
            import sqlite3, sys
            database = sqlite3.connect(sys.argv[1])
            print(database.execute("PRAGMA integrity_check").fetchone()[0])
            print(database.execute("SELECT count(*) FROM runs").fetchone()[0])
            """, "\(scene.path)/bgrun-sample.db")
        #expect(rows == "ok\n2\n")
    }

    @Test("date.yaml, whose calls share a struct, writes the date")
    func date() throws {
        let scene = try sample("date.yaml")
        let before = Self.today
        let run = try scene.run("date.yaml")
        #expect(run.attempts.map(\.outcome) == ["completed"])
        let text = String(decoding: try #require(scene.contents("date.txt")), as: UTF8.self)
        #expect([before, Self.today].contains(text))
    }

    private static var today: String {
        String(Date.now.formatted(.iso8601).prefix(10))
    }
}
