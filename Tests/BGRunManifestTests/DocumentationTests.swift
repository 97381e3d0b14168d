// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Foundation
import Testing

@testable import BGRunManifest

@Suite("Agreement of the documentation and the reader", .timeLimit(.minutes(10)))
struct DocumentationTests {
    static let root = Case.directory.deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static let documentation = ["manifest.md", "policy.md"].reduce(into: "") { text, name in
        text +=
            (try? String(contentsOf: root.appending(path: "Docs/\(name)"), encoding: .utf8)) ?? ""
    }

    @Test("every YAML snippet of the documentation reads without error", arguments: Example.all)
    func snippets(_ snippet: Example) throws {
        let options = ManifestReader.Options(checksFiles: false)
        do throws(ManifestProblems) {
            _ = try ManifestReader.read(
                bytes: Array(snippet.manifest.utf8), path: "manifest.md", directory: "/",
                options: options)
        } catch {
            Issue.record(error)
        }
    }

    @Test("the documentation has snippets of every form")
    func forms() {
        #expect(Set(Example.all.map(\.form)) == ["", "task", "top", "call", "argument"])
    }

    @Test("every sample manifest reads without error or warning")
    func samples() throws {
        let folders =
            ["manifests"]
            + ["exec", "sqlite-maintenance", "sync-directory"].map {
                "Plugins/\($0)"
            }
        for folder in folders {
            let directory = Self.root.appending(path: folder)
            let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
                .filter { $0.hasSuffix(".yaml") }
            #expect(!names.isEmpty, "\(folder)")
            for name in names {
                do throws(ManifestProblems) {
                    let reading = try ManifestReader.read(
                        path: directory.appending(path: name).path)
                    #expect(reading.warnings.isEmpty)
                } catch {
                    Issue.record(error)
                }
            }
        }
    }

    @Test("Docs/manifest.md names every kind of problem", arguments: DiagnosticCode.allCases)
    func codes(_ code: DiagnosticCode) {
        #expect(Self.documentation.contains("`\(code.rawValue)`"))
    }
}

/// A fenced block of the documentation. The word after `yaml` names the part of a manifest.
struct Example: CustomTestStringConvertible, Sendable {
    var form: String
    var lines: [String]

    var testDescription: String { lines.first ?? "" }

    static let all = ["manifest.md", "foreign-functions.md"].flatMap(examples)

    private static func examples(in document: String) -> [Example] {
        let url = DocumentationTests.root.appending(path: "Docs/\(document)")
        let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
        var snippets: [Example] = []
        var current: Example?
        for line in text.components(separatedBy: "\n") {
            if line.hasPrefix("```yaml") {
                let form = line.dropFirst("```yaml".count).trimmingCharacters(in: .whitespaces)
                current = Example(form: form, lines: [])
            } else if line == "```", let finished = current {
                snippets.append(finished)
                current = nil
            } else {
                current?.lines.append(line)
            }
        }
        return snippets
    }

    /// The snippet in a manifest that is otherwise valid.
    var manifest: String {
        switch form {
        case "": lines.joined(separator: "\n")
        case "top":
            Self.base(with: lines) + "tasks: {}\n" + lines.joined(separator: "\n")
        case "call":
            Self.call + Self.indented(lines, by: 6)
        case "argument":
            Self.call + "      library: libc.so.6\n      function: f\n      args:\n      -\n"
                + Self.indented(lines, by: 8)
        default:
            Self.base(with: []) + Self.task + Self.indented(missing + lines, by: 4)
        }
    }

    /// The required keys of a task that the lines do not have.
    private var missing: [String] {
        let hasKind = lines.contains { $0.hasPrefix("kind:") }
        let hasAction = lines.contains { $0.hasPrefix("handler:") || $0.hasPrefix("calls:") }
        return (hasKind ? [] : ["kind: processing"]) + (hasAction ? [] : ["handler: exec.run"])
    }

    private static let task = "tasks:\n  com.example.app.clean:\n"

    private static let call = base(with: []) + task + "    kind: processing\n    call:\n"

    private static func base(with lines: [String]) -> String {
        // `exec` requires a command, which lines without parameters do not have.
        let plugin = lines.contains { $0.contains("parameters:") } ? "exec" : "hello-c"
        let plugins =
            lines.contains { $0.hasPrefix("plugins:") } ? "" : "plugins: {exec: \(plugin)}\n"
        return "bgrun: 1\napp: com.example.app\nmodes: [processing]\n"
            + "permitted_identifiers: [com.example.app.clean]\n" + plugins
    }

    private static func indented(_ lines: [String], by count: Int) -> String {
        lines.map { String(repeating: " ", count: count) + $0 + "\n" }.joined()
    }
}
