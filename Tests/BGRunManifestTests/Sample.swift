// SPDX-License-Identifier: Apache-2.0

import BGRunManifest

/// Small manifests that tests build.
enum Sample {
    /// A valid manifest with one task, which also has these lines.
    static func text(task lines: String = "", rest: String = "") -> String {
        """
        bgrun: 1
        app: com.example.app
        modes: [processing]
        permitted_identifiers: [com.example.app.clean]
        plugins: {exec: hello-c}
        tasks:
          com.example.app.clean:
            kind: processing
            handler: exec.run
            \(lines)

        """ + rest
    }

    static func read(task lines: String = "", rest: String = "") throws -> Manifest {
        try read(text(task: lines, rest: rest)).manifest
    }

    static func read(_ text: String) throws(ManifestProblems) -> ManifestReading {
        try read(Array(text.utf8))
    }

    static func read(_ bytes: [UInt8]) throws(ManifestProblems) -> ManifestReading {
        try ManifestReader.read(bytes: bytes, path: "app.yaml", directory: "/nowhere")
    }

    /// The codes of all diagnostics of `bytes`.
    static func codes(_ bytes: [UInt8]) -> [DiagnosticCode] {
        do throws(ManifestProblems) {
            return try read(bytes).warnings.map(\.code)
        } catch {
            return error.diagnostics.map(\.code)
        }
    }
}
