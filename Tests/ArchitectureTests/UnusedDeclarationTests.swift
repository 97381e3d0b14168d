// SPDX-License-Identifier: Apache-2.0

import Testing

/// A name that only its own target uses must be internal. A test counts as a user if it imports the module
/// without @testable, because its file then compiles only if the name is `package`.
@Suite("Declarations that no other target uses", .timeLimit(.minutes(10)))
struct UnusedDeclarationTests {
    @Test("another target uses each `package` type, member and initialiser")
    func package() throws {
        let graph = try #require(ModuleGraph.package, "swift package dump-package failed")
        let files = ["Sources", "Tests"].flatMap { SourceFile.all(in: $0, ["swift"]) }
        let units = files.compactMap { file in
            graph.module(of: file).map {
                UnusedDeclarations.Unit(target: $0.name, file: file)
            }
        }
        try #require(units.count > 1_000)
        let unused = UnusedDeclarations(units) { graph.closure(of: $0) }
        for module in graph.modules {
            for place in unused.found(in: module.name) {
                Issue.record("\(place): no other target uses it: make it internal or remove it")
            }
        }
    }

    @Test("an unused type, member and initialiser are found, and those that are used are not")
    func finds() {
        let module = SourceFile(
            path: "A.swift",
            text: """
                package protocol Port {
                    func required()
                }
                package struct Used: Port {
                    package let size: Int
                    package let hidden: Int
                    package let kind: Kind
                    package func required() {}
                    package func inherited() {}
                    package init(size: Int) { self.init(hidden: size) }
                    package init(
                        hidden: Int
                    ) {}
                }
                package enum Kind { case small }
                package enum Alone {
                    package static func make() {}
                }
                """)
        let user = SourceFile(
            path: "B.swift",
            text: """
                // hidden
                print(Used(size: 1).size, "Alone")
                """)
        let test = SourceFile(path: "C.swift", text: "@testable import A\nAlone.make(hidden)")
        let plain = SourceFile(path: "D.swift", text: "import A\nlet port: Port")
        // `A` is linked with it, so that it cannot use a declaration of `A`.
        let base = SourceFile(
            path: "E.swift",
            text: "protocol Base {\n    func inherited()\n}\nmake(Alone(kind.hidden))")
        let files = [("A", module), ("B", user), ("C", test), ("D", plain), ("E", base)]
        let unused = UnusedDeclarations(
            files.map { UnusedDeclarations.Unit(target: $0.0, file: $0.1) }
        ) { $0 == "E" ? ["E"] : [$0, "A", "E"] }
        #expect(
            unused.found(in: "A") == [
                "A.swift:6: hidden", "A.swift:7: kind", "A.swift:11: Used.init",
                "A.swift:16: Alone", "A.swift:17: make",
            ])
    }
}
