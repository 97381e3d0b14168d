// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("Module directions")
struct ModuleTests {
    let sources = SourceFile.all(in: "Sources", ["swift"])

    @Test("a row of the table names modules of rows above it only")
    func order() {
        var above: Set<String> = []
        for module in architecture {
            #expect(module.ours.isSubset(of: above), "\(module.name)")
            #expect(above.insert(module.name).inserted, "\(module.name) stands twice")
        }
    }

    @Test("every module is in the table and imports what the table allows it, nothing else")
    func imports() throws {
        try #require(!sources.isEmpty)
        for file in sources {
            guard let name = file.module else {
                Issue.record("\(file.path) belongs to no module")
                continue
            }
            guard let module = Module.named(name) else {
                Issue.record(
                    "\(name) (\(file.path)) is not in Tests/ArchitectureTests/Modules.swift")
                continue
            }
            for imported in file.imports where !module.allowed.contains(imported) {
                Issue.record("\(file.path): \(name) may not import \(imported)")
            }
        }
    }

    @Test("no module the worker is made of reaches Foundation, a package or the store")
    func worker() {
        var reached: Set<String> = []
        var waiting: Set<String> = ["bgrun-worker"]
        while let name = waiting.popFirst() {
            guard reached.insert(name).inserted else { continue }
            waiting.formUnion(Module.named(name)?.allowed ?? [])
        }
        let system = reached.filter { Module.named($0) == nil }
        #expect(system.isSubset(of: ["Glibc", "Synchronization"]))
        #expect(reached.isDisjoint(with: ["BGRunStore", "BGRunHost", "BGRunManifest"]))
    }

    @Test("no module imports the whole of Foundation, whose Unicode tables are 34 MB")
    func foundation() {
        for module in architecture {
            #expect(!module.system.contains("Foundation"), "\(module.name)")
        }
    }

    @Test("only the worker's modules load libraries, and nothing ever unloads one")
    func loading() {
        for file in sources {
            let loads = file.module.flatMap(Module.named)?.loads ?? false
            for (number, text) in file.code {
                #expect(!text.contains("dlclose("), "\(file.path):\(number)")
                for call in ["dlopen(", "dlmopen(", "dlsym("] where text.contains(call) && !loads {
                    Issue.record("\(file.path):\(number) calls \(call))")
                }
            }
        }
    }

    @Test("nothing of the host reaches a module that loads libraries")
    func hostLoadsNothing() {
        for module in architecture where !module.loads && module.name != "bgrun-worker" {
            let loaders = module.ours.filter { Module.named($0)?.loads ?? false }
            #expect(loaders.isEmpty, "\(module.name)")
        }
    }

    @Test(
        "an import is seen in every form",
        arguments: [
            ("import Glibc", "Glibc"), ("public import BGRunCore", "BGRunCore"),
            ("@testable import BGRunWire", "BGRunWire"),
            ("@preconcurrency internal import BGRunCore", "BGRunCore"),
            ("import struct Foundation.URL", "Foundation"), ("    import Glibc", "Glibc"),
            ("import Foundation.NSData", "Foundation"), ("// import Foundation", nil),
            ("let importer = 1", nil), ("important", nil), ("", nil),
        ] as [(String, String?)])
    func importForms(line: String, module: String?) {
        #expect(SourceFile.importedModule(line) == module)
    }
}
