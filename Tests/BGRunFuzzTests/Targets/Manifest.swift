// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

extension FuzzTarget {
    /// A manifest, which is read, or refused with valid places.
    static let manifest = FuzzTarget(
        "manifest", longest: 8_192,
        seeds: [
            SeedFiles("Tests/BGRunManifestTests/Cases", ".yaml"), SeedFiles("manifests", ".yaml"),
            SeedFiles("Examples", ".yaml"),
        ]
    ) { bytes in
        guard let reading = try readManifest(bytes) else { return }
        try hold(!reading.manifest.app.isEmpty, "the app has no identifier")
        try hold(reading.manifest.source == bytes, "the source is not what was read")
        let again = try readManifest(bytes)?.manifest
        try hold(again?.tasks == reading.manifest.tasks, "read again, the tasks are others")
        try hold(again?.policy == reading.manifest.policy, "read again, the policy is another")
    }

    /// Reads the manifest `bytes` as on a fixed machine; nil if it is refused.
    static func readManifest(_ bytes: [UInt8]) throws -> ManifestReading? {
        let options = ManifestReader.Options(
            checksFiles: false, zone: .utc, machine: "fuzz",
            now: WallTime(milliseconds: 1_770_000_000_000))
        do {
            let reading = try ManifestReader.read(
                bytes: bytes, path: "app.yaml", directory: "/nowhere", options: options)
            let hasErrors = reading.warnings.contains { $0.severity == .error }
            try hold(!hasErrors, "an error came with a manifest")
            try check(reading.warnings, of: bytes)
            return reading
        } catch let problems as ManifestProblems {
            try check(problems, of: bytes)
            return nil
        }
    }

    /// Checks the properties of every refusal.
    static func check(_ problems: ManifestProblems, of bytes: [UInt8]) throws {
        try hold(
            problems.diagnostics.contains { $0.severity == .error }, "refused without an error")
        try hold(problems.diagnostics.count <= 201, "\(problems.diagnostics.count) problems")
        try check(problems.diagnostics, of: bytes)
    }

    private static func check(_ diagnostics: [Diagnostic], of bytes: [UInt8]) throws {
        for diagnostic in diagnostics {
            try hold(!diagnostic.message.isEmpty, "a problem without a message")
            try hold(!diagnostic.remedy.isEmpty, "no remedy: \(diagnostic.message)")
            let rendered = diagnostic.rendered(color: false)
            let steers = rendered.unicodeScalars.contains {
                $0.value < 0x20 && $0 != "\n" || (0x7F..<0xA0).contains($0.value)
            }
            try hold(!steers, "a control character in \(rendered)")
            try hold(rendered.utf8.count < 16_384, "a message of \(rendered.utf8.count) bytes")
            guard let mark = diagnostic.mark else { continue }
            try hold((1...bytes.count + 1).contains(mark.line), "line \(mark.line)")
            try hold((1...bytes.count + 1).contains(mark.column), "column \(mark.column)")
            guard let end = diagnostic.endColumn else { continue }
            try hold((mark.column...bytes.count + 2).contains(end), "end column \(end)")
        }
    }
}
