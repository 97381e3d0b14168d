// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("Modules and their dependencies", .timeLimit(.minutes(10)))
struct ModuleTests {
    let graph: ModuleGraph
    private static let allSources = SourceFile.all(in: "Sources", ["swift"])
    private let sources = allSources

    init() throws {
        graph = try #require(ModuleGraph.package, "swift package dump-package failed")
        try #require(graph.modules.count > 20 && sources.count > 500)
    }

    @Test("a module depends only on modules above it in Package.swift")
    func order() {
        var above: Set<String> = []
        for module in graph.modules {
            #expect(module.dependencies.isSubset(of: above), "\(module.name)")
            above.insert(module.name)
        }
    }

    @Test("imports are those that Package.swift declares for the module, and all of these are used")
    func imports() throws {
        var used: [String: Set<String>] = [:]
        for file in sources {
            let module = try #require(graph.module(of: file), "\(file.path)")
            let allowed = module.dependencies.union(Self.libraries(of: module))
            for imported in file.imports where !allowed.contains(imported) {
                Issue.record("\(file.path): \(module.name) may not import \(imported)")
            }
            used[module.name, default: []].formUnion(file.imports)
        }
        for module in graph.modules where used[module.name] != nil && module.name != "Programs" {
            let unused = module.dependencies.subtracting(used[module.name] ?? [])
            #expect(unused.isEmpty, "\(module.name)")
        }
    }

    @Test("only the files that start threads import Dispatch")
    func threads() {
        let files = Set(sources.filter { $0.imports.contains("Dispatch") }.map(\.path))
        #expect(
            files == [
                "Sources/CLI/Commands/DashboardCommand.swift",
                "Sources/CLI/Dashboard/SlowValue.swift",
                "Sources/EventLoop/BackgroundWork.swift",
                "Sources/Features/Transfers/Service/Files/DiskWork.swift",
                "Sources/Simulation/Run/Ensemble.swift",
            ])
    }

    /// The Swift libraries that a module may import. Most modules belong to one thread: only modules that
    /// start threads import Synchronization.
    private static func libraries(of module: ModuleGraph.Module) -> Set<String> {
        let name = module.name.replacing("BGRun", with: "")
        var libraries: Set = ["Dispatch"]
        if !["Policy", "Dashboard", "SchedulerInterop"].contains(name) {
            libraries.insert("Glibc")
        }
        if ["CLI", "EventLoop", "Simulation", "TransferService", "Worker"].contains(name) {
            libraries.insert("Synchronization")
        }
        let withJSON: Set = [
            "CLI", "Control", "HTTP", "Host", "Manifest", "Storage", "Hooks", "Pushes", "Transfers",
            "TransferIPC", "TransferService",
        ]
        if withJSON.contains(name) { libraries.insert("FoundationEssentials") }
        if name == "CLI" { libraries.insert("ArgumentParser") }
        return libraries
    }

    @Test("Policy imports no other module")
    func policy() {
        for file in sources where graph.module(of: file)?.name == "BGRunPolicy" {
            #expect(file.imports.isEmpty, "\(file.path)")
        }
    }

    @Test("the worker links neither Foundation, Dispatch, the store nor the manifest")
    func worker() {
        let modules = graph.closure(of: "bgrun-worker")
        #expect(modules.contains("BGRunWorker"))
        #expect(
            modules.isDisjoint(with: ["BGRunStorage", "BGRunHost", "BGRunManifest", "CSQLite"]))
        for file in sources where modules.contains(graph.module(of: file)?.name ?? "") {
            #expect(
                Set(file.imports).isDisjoint(with: ["FoundationEssentials", "Dispatch"]),
                "\(file.path)")
        }
    }

    @Test("only the worker loads libraries, besides libsystemd, and nothing unloads one")
    func loading() {
        for module in graph.modules where module.dependencies.contains("BGRunWorker") {
            #expect(module.name == "bgrun-worker")
        }
        for file in sources + SourceFile.all(in: "Sources", ["c", "h"]) {
            let module = graph.module(of: file)?.name
            let loads = module == "BGRunWorker" || module == "CSystemd"
            for (number, text) in file.code {
                #expect(!text.contains("dlclose("), "\(file.path):\(number)")
                if module == "CSystemd", text.contains("dlopen(") {
                    #expect(text.contains("\"libsystemd.so.0\""), "\(file.path):\(number)")
                }
                for call in ["dlopen(", "dlmopen(", "dlsym("] where text.contains(call) && !loads {
                    Issue.record("\(file.path):\(number) calls \(call))")
                }
            }
        }
    }

    @Test("each library that parses input from a network is linked by one module")
    func networkLibraries() {
        for (library, allowed) in [
            ("CCurl", ["BGRunPost", "BGRunTransferService"]), ("CMosquitto", ["BGRunMQTT"]),
            ("CMicroHTTPD", ["BGRunGateway"]), ("BGRunGateway", ["bgrun-gateway"]),
            ("BGRunMQTT", ["bgrun-mqtt"]), ("BGRunPost", ["bgrun-post"]),
        ] {
            let users = graph.modules.filter { $0.dependencies.contains(library) }.map(\.name)
            #expect(users == allowed, "\(library)")
        }
        #expect(graph.closure(of: "BGRunHost").isDisjoint(with: ["BGRunHTTP", "CCurl"]))
        // A host or a command must not parse data from the network.
        #expect(
            graph.closure(of: "bgrun").isDisjoint(
                with: [
                    "BGRunGateway", "BGRunMQTT", "BGRunPost", "BGRunTransferService", "CCurl",
                    "CMicroHTTPD", "CMosquitto",
                ]))
    }

    @Test("a client of the control socket links neither the host, its store nor its supervisor")
    func clients() {
        for client in ["BGRunControl", "BGRunDashboard"] {
            let reached = graph.closure(of: client)
            #expect(
                reached.isDisjoint(with: ["BGRunHost", "BGRunStorage", "BGRunSupervisor"]),
                "\(client)")
        }
    }

    @Test("commands import Host only to run a host, to do the work of one, or to write its log")
    func hostOfCommands() {
        let folders = ["Log", "Run", "Simulated"].map { "Sources/CLI/\($0)/" }
        let files = sources.map(\.path).filter { $0.hasPrefix("Sources/CLI/") }
        #expect(folders.allSatisfy { folder in files.contains { $0.hasPrefix(folder) } })
        for file in sources where file.path.hasPrefix("Sources/CLI/") {
            let isAllowed = folders.contains { file.path.hasPrefix($0) }
            #expect(isAllowed || !file.imports.contains("BGRunHost"), "\(file.path)")
        }
    }

    @Test("no feature depends on another one, and no core module depends on a feature")
    func features() {
        let features = Set(graph.modules.compactMap(\.feature))
        #expect(features.count >= 6)
        // The programs combine the features.
        let programs: Set<String> = ["BGRunCLI", "bgrun-transferd"]
        for module in graph.modules where !programs.contains(module.name) {
            for name in module.dependencies {
                guard let feature = graph[name]?.feature else { continue }
                #expect(module.feature == feature, "\(module.name) depends on \(name)")
            }
        }
    }

    @Test("each feature of the host has exactly one line in the list")
    func list() throws {
        let list = try #require(sources.first { $0.path == "Sources/CLI/Run/HostFeatures.swift" })
        let features = sources.filter { file in
            file.lines.contains {
                $0.contains("HostFeature") && $0.contains(#/^(final )?class \w+: HostFeature/#)
            }
        }
        #expect(features.count >= 6)
        let makers = Self.makers(in: list)
        #expect(makers.count == features.count && Set(makers).count == makers.count)
        // The hosts of the tests also have all features.
        let tests = SourceFile.all(in: "Tests", ["swift"])
        for path in [
            "Tests/BGRunHostTests/Support/AllFeatures.swift",
            "Tests/BGRunHostSimulation/HostWorld+Host.swift",
        ] {
            let other = try #require(tests.first { $0.path == path })
            #expect(Self.makers(in: other) == makers, "\(path)")
        }
    }

    /// The calls such as `Hooks.feature`, in order.
    private static func makers(in file: SourceFile) -> [String] {
        file.lines.flatMap { line in
            line.matches(of: #/\b([A-Z]\w+\.(?:feature|paths|sockets))\(/#).map { String($0.1) }
        }
    }

    @Test("the host has at most 25 stored members")
    func hostMembers() throws {
        let host = try #require(sources.first { $0.path == "Sources/Host/Host.swift" })
        let start = try #require(host.lines.firstIndex(of: "package final class Host {"))
        let body = Array(host.lines[start...].prefix { $0 != "}" })
        let stored = StoredMembers.all(in: body, indentation: 4)
        #expect(stored.count > 15 && stored.count <= 25, "\(stored.count): \(stored)")
    }

    @Test(
        "a member with an observer or a comment counts as stored, a computed or static one does not"
    )
    func storedMembers() {
        let stored = [
            "    let a: Int", "    private(set) var b = 1  // why",
            "    var c = 1 { didSet { f() } }",
            "    weak var d: D? {", "        didSet { f() }", "    }", "    var e = { 1 }()",
        ]
        let other = [
            "    // let f: Int", "    var g: Int { 1 }", "    var h: Int {", "        1", "    }",
            "    static let i = 1", "    func j() { let k = 1 }", "        let l: Int",
        ]
        #expect(StoredMembers.all(in: stored + other, indentation: 4).count == 5)
        #expect(StoredMembers.all(in: other, indentation: 4) == [])
    }

    @Test("no declaration is public, because no other package imports a module")
    func access() {
        let declaration =
            #/^ *(@\w+(\(.*\))? )*(public|open)(\(set\))? (\w+ )*(class|struct|enum|protocol|extension|actor|func|init|let|var|typealias|subscript)\b/#
        for file in sources {
            for (number, text) in file.code where text.contains(declaration) {
                Issue.record("\(file.path):\(number) must be package or internal")
            }
        }
    }

    @Test("Docs/architecture.md has a row for each module of Swift, in the order of Package.swift")
    func documentation() throws {
        let document = try #require(
            SourceFile.all(in: "Docs", ["md"]).first { $0.path == "Docs/architecture.md" })
        let start = try #require(document.lines.firstIndex { $0.hasPrefix("| Module |") })
        let rows = document.lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            line.split(separator: "`").dropFirst().first.map(String.init) ?? ""
        }
        let libraries = graph.modules.filter { $0.name.hasPrefix("BGRun") }
        #expect(rows == libraries.map { String($0.path.dropFirst("Sources/".count)) })
    }

    @Test(
        "every form of an import is recognized",
        arguments: [
            ("import Glibc", "Glibc"), ("public import BGRunPolicy", "BGRunPolicy"),
            ("@testable import BGRunProtocol", "BGRunProtocol"),
            ("@preconcurrency internal import BGRunPolicy", "BGRunPolicy"),
            ("import struct Foundation.URL", "Foundation"), ("    import Glibc", "Glibc"),
            ("import Foundation.NSData", "Foundation"), ("// import Foundation", nil),
            ("let importer = 1", nil), ("important", nil), ("", nil),
        ] as [(String, String?)])
    func importForms(line: String, module: String?) {
        #expect(SourceFile.importedModule(line) == module)
    }
}
