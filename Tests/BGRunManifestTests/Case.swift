// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import Foundation
import Testing

/// A manifest in Cases, and its expected diagnostics.
struct Case: CustomTestStringConvertible, Sendable {
    let url: URL

    static let directory = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Cases")

    /// Git does not store modes: this makes the files of credentials private.
    private static let areSecretsPrivate = ["files/secret", "files/token"].allSatisfy {
        chmod(directory.appending(path: $0).path, 0o600) == 0
    }

    static func all(_ folder: String) -> [Case] {
        precondition(areSecretsPrivate, "the secrets of Cases/files cannot be made private")
        let urls = try? FileManager.default.contentsOfDirectory(
            at: directory.appending(path: folder), includingPropertiesForKeys: nil)
        return (urls ?? []).filter { $0.pathExtension == "yaml" }
            .sorted { $0.path < $1.path }.map { Case(url: $0) }
    }

    var testDescription: String { url.lastPathComponent }

    /// The expected output; empty if its file is missing.
    var expected: String {
        (try? String(contentsOf: expectedURL, encoding: .utf8)) ?? ""
    }

    /// The options of a fixed machine on a fixed day.
    private static let options = {
        var options = ManifestReader.Options(
            zone: (try? ZoneRules.named("Europe/Berlin")) ?? .utc, machine: "of the tests",
            now: WallTime(milliseconds: 1_772_323_200_000))
        options.home = "/home/ada"
        options.runtimeDirectory = "/tmp/runtime"
        options.checksSecrets = true
        options.hasUser = { $0 != "no-user" }
        options.hasGroup = { $0 != "no-group" }
        return options
    }()

    func read() throws -> Result<ManifestReading, ManifestProblems> {
        let bytes = try [UInt8](Data(contentsOf: url))
        do throws(ManifestProblems) {
            return .success(
                try ManifestReader.read(
                    bytes: bytes, path: url.lastPathComponent,
                    directory: url.deletingLastPathComponent().path, options: Self.options))
        } catch {
            return .failure(error)
        }
    }

    /// The diagnostics as printed. If BGRUN_UPDATE_EXPECTED is set, they become the expected output.
    func printed(_ diagnostics: [Diagnostic]) throws -> String {
        let text = diagnostics.rendered(color: false)
            .replacingOccurrences(of: Self.directory.path, with: "CASES")
        if ProcessInfo.processInfo.environment["BGRUN_UPDATE_EXPECTED"] != nil, text != expected {
            try text.write(to: expectedURL, atomically: true, encoding: .utf8)
        }
        return text
    }

    private var expectedURL: URL {
        url.deletingPathExtension().appendingPathExtension("expected")
    }
}
