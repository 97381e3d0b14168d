// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BGRunManifest

@Suite("Handlers of the plugins that ship", .timeLimit(.minutes(10)))
struct ShippedHandlerTests {
    private static let plugins =
        String(
            #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/" + $1 })
        + "/Plugins/"

    @Test(
        "the manifest knows the parameters the sources know",
        arguments: [
            ("exec", "run", "exec/command.c"),
            ("sqlite-maintenance", "maintain", "sqlite-maintenance/plan.c"),
            ("sync-directory", "copy", "sync-directory/copy.c"),
            ("sync-directory", "prune", "sync-directory/prune.c"),
        ])
    func parameters(plugin: String, handler: String, file: String) throws {
        let source = try String(contentsOfFile: Self.plugins + file, encoding: .utf8)
        // The last list is the handler's own; those before are of what is inside it.
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

    @Test("what the parameters of a request lack is named as JSON")
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

    @Test("the manifest knows the handlers the sources register")
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
