// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BGRunManifest

@Suite("Handlers of shipped plugins", .timeLimit(.minutes(10)))
struct ShippedHandlerTests {
    private static let plugins =
        String(
            #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/" + $1 })
        + "/Plugins/"

    @Test(
        "the manifest knows the parameters of the sources",
        arguments: [
            ("exec", "run", "exec/command.c"),
            ("sqlite-maintenance", "maintain", "sqlite-maintenance/plan.c"),
            ("sync-directory", "copy", "sync-directory/copy.c"),
            ("sync-directory", "prune", "sync-directory/prune.c"),
        ])
    func parameters(plugin: String, handler: String, file: String) throws {
        let source = try String(contentsOfFile: Self.plugins + file, encoding: .utf8)
        // The last list belongs to the handler itself; earlier lists belong to nested values.
        let list = try #require(source.components(separatedBy: "known[] = {").last)
        let names = list.prefix { $0 != "}" }.split(separator: ",")
            .map { $0.trimmingCharacters(in: .whitespacesAndNewlines.union(["\""])) }
            .filter { $0 != "NULL" }
        #expect(ShippedHandlers.parameters[plugin]?[handler] == names)
        func needed(by call: String) -> [String] {
            list.components(separatedBy: "\(call)(&a, \"").dropFirst()
                .map { String($0.prefix { $0 != "\"" }) }
        }
        let required = try #require(ShippedHandlers.required[plugin]?[handler])
        let alternatives = needed(by: "!arguments_has")
        var expected = needed(by: "arguments_required").map { [$0] }
        if !alternatives.isEmpty { expected.append(alternatives) }
        #expect(required == expected)
    }

    @Test("the manifest knows the parameters that Python tasks need")
    func python() throws {
        let source = try String(contentsOfFile: Self.plugins + "python/runner.py", encoding: .utf8)
        let function = try #require(source.components(separatedBy: "def _function(").last)
        let condition = try #require(function.components(separatedBy: "if not ").dropFirst().first)
        let names = String(condition.prefix { $0 != ":" }).components(separatedBy: " or not ")
        let required = try #require(ShippedHandlers.required["python"]?["run"])
        #expect(required == names.map { [$0] })
    }

    @Test(
        "lint finds a missing file of a Python task, and a misspelt name of a parameter",
        arguments: [
            ("{module: handlers.py, function: go, from: a}", true, []),
            (
                "{module: scam.py, function: go}", true,
                ["missing-file 10:26 `DIRECTORY/scam.py`: No such file or directory"]
            ),
            ("{module: scam.py, function: go}", false, []),
            (
                "{modul: handlers.py, function: go}", true,
                ["bad-parameter 10:18 `python.run` needs the parameter `module`, not `modul`"]
            ),
            (
                "{modul: handlers.py}", true,
                [
                    "bad-parameter 10:5 `python.run` needs the parameter `function`",
                    "bad-parameter 10:18 `python.run` needs the parameter `module`, not `modul`",
                ]
            ),
            ("{module: handlers.py, function: go, modul: 1}", true, []),
        ] as [(String, Bool, [String])])
    func pythonFile(_ parameters: String, _ checks: Bool, _ expected: [String]) throws {
        let directory = FileManager.default.temporaryDirectory.path + "/module-\(UUID())"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try Data().write(to: URL(filePath: directory + "/handlers.py"))
        let text = """
            bgrun: 1
            app: com.example.scan
            modes: [processing]
            permitted_identifiers: [com.example.scan.all]
            plugins: {python: python}
            tasks:
              com.example.scan.all:
                kind: processing
                handler: python.run
                parameters: \(parameters)
            """
        var options = ManifestReader.Options(shippedPlugins: ["python"])
        options.checksHandlerFiles = checks
        var found: [String] = []
        do throws(ManifestProblems) {
            _ = try ManifestReader.read(
                bytes: Array(text.utf8), path: "scan.yaml", directory: directory, options: options)
        } catch {
            found = error.diagnostics.map {
                "\($0.code.rawValue) \($0.mark?.line ?? 0):\($0.mark?.column ?? 0) \($0.message)"
            }
        }
        #expect(found == expected.map { $0.replacing("DIRECTORY", with: directory) })
    }

    @Test("missing parameters of a request are named as JSON")
    func request() throws {
        let text = """
            bgrun: 1
            app: com.example.shipped
            modes: [processing]
            permitted_identifiers: [com.example.shipped.copy]
            plugins: {sync: sync-directory}
            tasks:
              com.example.shipped.copy: {kind: processing, handler: sync.copy, submit: manual}
            """
        let manifest = try Sample.read(text).manifest
        let task = try #require(manifest.tasks.first)
        let problem = manifest.problem(ofParameters: .object(["from": .string("")]), of: task)
        #expect(
            problem == "`sync-directory.copy` needs the parameters `from` and `to`; "
                + #"add `"from": ...` and `"to": ...`"#)
    }

    @Test("the manifest knows the handlers that the sources register")
    func handlers() throws {
        for (plugin, handlers) in ShippedHandlers.parameters {
            let folder = Self.plugins + plugin
            let sources = try FileManager.default.contentsOfDirectory(atPath: folder)
                .filter { $0.hasSuffix(".c") }
                .map { try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }.joined()
            let registered = sources.components(separatedBy: ".name = \"").dropFirst()
                .map { String($0.prefix { $0 != "\"" }) }.filter { $0 != plugin }
            #expect(Set(handlers.keys) == Set(registered), "\(plugin)")
        }
    }
}
