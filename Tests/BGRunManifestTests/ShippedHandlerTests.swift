// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BGRunManifest

@Suite("Handlers of the plugins that ship")
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
        let required = source.components(separatedBy: "known[] = {").last?
            .components(separatedBy: "arguments_required(&a, \"").dropFirst()
            .map { String($0.prefix { $0 != "\"" }) }
        #expect(ShippedHandlers.required[plugin]?[handler] ?? [] == required)
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
