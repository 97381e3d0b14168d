// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunManifest
import BGRunPolicy
import BGRunSystem
import Glibc

/// Runs bgrun-audit, a separate program because it needs a Swift parser.
struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Find mistakes in Swift code that handles background tasks.",
        discussion: """
            Runs bgrun-audit with these arguments and with what the manifest lists; `bgrun-audit \
            --help` has its options. Exits with 1 when there are findings, 65 when a file cannot \
            be read as Swift, and 69 when bgrun-audit is not installed.

            Example: bgrun audit Sources
            """)

    @Option(
        name: .shortAndLong,
        help: .value("file", "The manifest whose identifiers and modes the code must keep to."),
        completion: .yamlFiles)
    var manifest: String?

    @Argument(
        parsing: .allUnrecognized,
        help: .value("arguments", "Swift files, directories of them, and options of bgrun-audit."),
        completion: .file(extensions: ["swift"]))
    var rest: [String] = []

    func run() throws {
        guard let audit = Installation().audit else {
            throw Exit.unavailable.reporting(
                "bgrun-audit is not installed beside bgrun; `make install` and the package install it"
            )
        }
        var arguments = [audit]
        if let manifest { arguments += ["--declared", try listing(of: manifest)] }
        let words = CStrings(arguments + rest)
        _ = withExtendedLifetime(words) { execv(audit, words.pointers) }
        throw Exit.unavailable.reporting(
            "\(audit) cannot be run: \(String(cString: strerror(errno)))")
    }

    /// The input that bgrun-audit reads as `Declared`: the kinds by identifier, the floor in seconds.
    private func listing(of path: String) throws -> String {
        // The plugins may not be built yet: the audit reads their sources.
        let manifest = try Manifest.read(path, .installed(checkingFiles: false))
        let kinds = manifest.tasks.map {
            ($0.declaration.identifier, JSONValue.string($0.declaration.kind.name))
        }
        let floor = manifest.policy.appRefreshSpacing.nanoseconds
        return try JSONOutput.line(
            JSONValue.members([
                "source": .string(path), "identifiers": .strings(manifest.permittedIdentifiers),
                "modes": .strings(manifest.modes.map(\.rawValue).sorted()),
                "kinds": .object(Dictionary(kinds, uniquingKeysWith: { first, _ in first })),
                "refreshFloor": .number(Double(floor) / 1e9),
            ]))
    }
}
