// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// The ways in which users and installers replace a manifest.
@Suite("A manifest that is replaced while its host runs", .timeLimit(.minutes(5)))
struct FileWatchTests {
    @Test(
        "is noticed if a shell replaces it",
        arguments: [
            "cp new.yaml app.yaml", "mv new.yaml app.yaml",
            // It becomes a link, whose target is written afterwards.
            "mkdir v; mv app.yaml v/app.yaml; ln -s v/app.yaml app.yaml; cat new.yaml > v/app.yaml",
            "mv app.yaml real.yaml; ln -s real.yaml app.yaml; cp new.yaml real.yaml",
            "ln -s new.yaml link; mv link app.yaml", "rm app.yaml; ln new.yaml app.yaml",
        ])
    func replaced(_ line: String) async throws {
        try await Sandbox.with { box in
            try await run(box, manifest: "app.yaml", preparing: "true", line)
        }
    }

    @Test(
        "is noticed if a directory on its path is replaced",
        arguments: [
            (
                "mkdir r1 r2; mv app.yaml r1; ln -s r1 cur; mv new.yaml r2/app.yaml",
                "ln -sfn r2 cur"
            ),
            (
                "mkdir cur; mv app.yaml cur",
                "mv cur old; mkdir cur; cat new.yaml > cur/app.yaml"
            ),
            // As Kubernetes updates a ConfigMap.
            (
                "mkdir cur ..1 ..2; mv ..1 ..2 cur; mv app.yaml cur/..1; mv new.yaml cur/..2/app.yaml; "
                    + "ln -s ..1 cur/..data; ln -s ..data/app.yaml cur/app.yaml",
                "ln -s ..2 cur/..new; mv -T cur/..new cur/..data"
            ),
        ])
    func directories(_ prepare: String, _ line: String) async throws {
        try await Sandbox.with { box in
            try await run(box, manifest: "cur/app.yaml", preparing: prepare, line)
        }
    }

    private func run(
        _ box: Sandbox, manifest: String, preparing prepare: String, _ line: String
    ) async throws {
        let exec = try Built.plugin("exec")
        func write(_ word: String) throws {
            try box.write(
                plugins: ["sh": exec],
                tasks: "org.test.a: {kind: processing, handler: sh.run, "
                    + "parameters: {command: \"echo \(word)\"}}")
        }
        try write("second")
        try FileManager.default.moveItem(
            atPath: box.manifest, toPath: box.directory + "/new.yaml")
        try write("first")
        #expect(await shell(box, prepare) == 0)
        let host = try box.start([
            "run", "--stay", "--manifest", box.directory + "/" + manifest, "--state", box.state,
        ])
        try await host.line("Task completed")
        #expect(await shell(box, line) == 0)
        try await host.line("The changed manifest is in effect")
        #expect(await host.stop().code == 0)
    }

    private func shell(_ box: Sandbox, _ line: String) async -> Int32? {
        try? await box.startShell("cd \(box.directory); set -e; \(line)").end().code
    }
}
