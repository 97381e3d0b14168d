// SPDX-License-Identifier: Apache-2.0

/// The kind of a YAML file, for messages about the whole file.
package struct DocumentKind: Sendable {
    /// "the manifest"
    package let name: String
    /// The text that a new one begins with.
    let beginning: String
    /// The remedy for one that is too large.
    let splitting: String

    package static let manifest = DocumentKind(
        name: "the manifest",
        beginning: "begin with `bgrun: 1`; Docs/manifest.md has an example",
        splitting: "split it into several apps, each with a manifest of its own")

    package static let scenario = DocumentKind(
        name: "the scenario",
        beginning: "begin with `scenario: 1`; Docs/simulation.md has examples",
        splitting: "split it into several scenarios")

    package static let deviceTrace = DocumentKind(
        name: "the device trace",
        beginning: "begin with `scenario: 1` and a `device`; Docs/simulation.md has an example",
        splitting: "split it into several traces")

    /// The bytes of the regular file at `path`, at most 1 MiB.
    package func read(_ path: String) throws(ManifestProblems) -> [UInt8] {
        do throws(SourceFile.Failure) {
            return try SourceFile.read(path)
        } catch {
            throw ManifestProblems(diagnostics: [error.diagnostic(file: path, self)])
        }
    }

    /// The values of `source`; nil, after a report, if it is empty or unreadable.
    package func tree(of source: SourceText, bag: DiagnosticBag) -> Node? {
        if source.bytes.starts(with: Self.magicOfELF) {
            return bag.refuse(
                .wrongType, at: nil, "the file is a shared library or a program, not \(noun)",
                help: "name \(noun)")
        }
        guard source.hasValidCharacters(bag) else { return nil }
        guard let root = NodeBuilder.build(source, bag: bag) else {
            if !bag.hasErrors {
                bag.error(.emptyFile, at: nil, "\(name) is empty", help: beginning)
            }
            return nil
        }
        if case .mapping(let entries) = root.content, let first = entries.first?.key,
            let other = Self.foreign[first.text], !name.hasSuffix(other.kind),
            other.kind == "manifest" || name == Self.manifest.name
        {
            return bag.refuse(
                .wrongType, at: first.span,
                "the file is a \(other.adjective)\(other.kind), not \(noun)",
                help: "name \(noun); " + other.remedy)
        }
        return root
    }

    package static let magicOfELF: [UInt8] = [0x7F, 0x45, 0x4C, 0x46]

    /// The kinds of files that begin with each key, other than a device trace, which is a scenario.
    private static let foreign = [
        "bgrun": (kind: "manifest", adjective: "bgrun ", remedy: "-m takes the manifest"),
        "scenario": (
            kind: "scenario", adjective: "", remedy: "`bgrun simulate -s` takes the scenario"
        ),
    ]

    /// "a manifest"
    private var noun: String { "a" + name.dropFirst(3) }
}

extension SourceFile.Failure {
    fileprivate func diagnostic(file: String, _ kind: DocumentKind) -> Diagnostic {
        switch self {
        case .unreadable(let reason):
            Diagnostic(
                severity: .error, code: .unreadableFile, file: file, mark: nil,
                message: "\(kind.name) cannot be read: \(reason)",
                remedy: "name a file that exists and that you may read")
        case .tooLarge:
            Diagnostic(
                severity: .error, code: .fileTooLarge, file: file, mark: nil,
                message: "\(kind.name) is larger than 1 MiB",
                remedy: kind.splitting)
        }
    }
}
