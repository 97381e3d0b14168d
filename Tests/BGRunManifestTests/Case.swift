// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import Foundation
import Testing

/// A manifest under Cases, and what reading it must say.
struct Case: CustomTestStringConvertible, Sendable {
    let url: URL

    static let directory = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Cases")

    /// Git keeps no modes: the files of credentials become private ones here.
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

    /// What must be printed; empty when there is no file for it.
    var expected: String {
        (try? String(contentsOf: expectedURL, encoding: .utf8)) ?? ""
    }

    /// As on a certain machine, on a certain day.
    private static let options = {
        var options = ManifestReader.Options(
            zone: (try? ZoneRules.named("Europe/Berlin")) ?? .utc, machine: "of the tests",
            now: WallTime(milliseconds: 1_772_323_200_000))
        options.checksPushSecrets = true
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

    /// The diagnostics as printed. With BGRUN_UPDATE_EXPECTED set they become what is expected.
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
