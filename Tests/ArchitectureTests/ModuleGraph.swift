// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The modules and their dependencies, as Package.swift declares them.
struct ModuleGraph: Sendable {
    /// Those of `Sources`, in the order of Package.swift, which is the order of the layers.
    let modules: [Module]
    /// These, and those of `Tests`.
    private let all: [Module]

    struct Module: Sendable {
        let name: String
        /// Its folder, relative to the package's root.
        let path: String
        /// Modules of this package.
        let dependencies: Set<String>

        /// The folder below `Sources/Features`; nil: not part of a feature.
        var feature: String? {
            let parts = path.split(separator: "/")
            return parts.starts(with: ["Sources", "Features"]) ? String(parts[2]) : nil
        }
    }

    static let package = try? ModuleGraph()

    private init() throws {
        let scratch = FileManager.default.temporaryDirectory
            .appending(path: "bgrun-graph-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: scratch) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        // The scratch directory of this run of `swift test` is locked.
        process.arguments = [
            "swift", "package", "--package-path", SourceFile.root.path,
            "--scratch-path", scratch.path, "dump-package",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        all = try JSONDecoder().decode(Dump.self, from: text).targets.map { target in
            Module(
                name: target.name, path: target.path ?? "Tests/\(target.name)",
                dependencies: Set(target.dependencies.compactMap { $0.byName?.first ?? nil }))
        }
        modules = all.filter { $0.path.hasPrefix("Sources/") }
    }

    subscript(name: String) -> Module? { all.first { $0.name == name } }

    /// The module to which a file belongs.
    func module(of file: SourceFile) -> Module? {
        all.filter { file.path.hasPrefix($0.path + "/") }.max { $0.path.count < $1.path.count }
    }

    /// A module and all modules that it is linked with.
    func closure(of name: String) -> Set<String> {
        var reached: Set<String> = []
        var waiting: Set<String> = [name]
        while let next = waiting.popFirst() {
            guard reached.insert(next).inserted else { continue }
            waiting.formUnion(self[next]?.dependencies ?? [])
        }
        return reached
    }

    private struct Dump: Decodable {
        var targets: [Target]

        struct Target: Decodable {
            var name: String
            var path: String?
            var dependencies: [Dependency]
        }

        struct Dependency: Decodable {
            /// `["BGRunPolicy", null]`; nil: a product of another package.
            var byName: [String?]?
        }
    }
}
