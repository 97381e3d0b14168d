// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunControl
import FoundationEssentials
import Glibc

struct PluginNewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Write a new plugin project: code, manifest, test, README.",
        discussion: """
            The project is a directory of that name; existing files are not changed. Its handler \
            shows progress, keeps a checkpoint, and stops when its time is revoked: put your work \
            in its place.

            The tests of bgrun build and run the projects in c, cpp, go, python, rust and swift. \
            The zig project was tried by hand, with Zig 0.17.1.

            Example: bgrun plugin new --lang c counter
            """)

    @Option(name: .customLong("lang"), help: .value("language", "The language."))
    var language: KitLanguage

    @Option(
        help: .value("identifier", "The app's identifier. (default: com.example.NAME)"))
    var identifier: String?

    @Argument(
        help: """
            The directory to write; its last part is the plugin's name. (default: the last part of \
            the identifier)
            """, completion: .directory)
    var name: String?

    func validate() throws {
        if name == nil, identifier == nil {
            throw ValidationError("name the plugin, or its app with --identifier")
        }
    }

    func run() throws {
        let installation = Installation()
        guard let kits = installation.kits else {
            throw Exit.unavailable.reporting(
                "the kits are missing near \(installation.directory)/bgrun; install bgrun")
        }
        let (project, files) = try write(
            kits, sdk: installation.sdk ?? "/usr/local/share/bgrun/sdk")
        print("Wrote \(project.directory): \(files.joined(separator: ", "))")
        print(nextSteps(project).map { $0 + "\n" }.joined(), terminator: "")
        // The missing prerequisites for building and running the project.
        for problem in [toolProblem, installationProblem(installation)].compactMap(\.self) {
            complain(problem)
        }
    }

    private func write(_ kits: String, sdk: String) throws -> (KitProject, [String]) {
        let directory = name ?? identifier?.split(separator: ".").last.map(String.init) ?? ""
        let plugin = URL(fileURLWithPath: directory).standardizedFileURL.lastPathComponent
        do throws(KitProject.Problem) {
            let project = try KitProject(
                language: language, name: plugin, identifier: identifier ?? "com.example.\(plugin)",
                directory: directory)
            return (project, try project.write(kits: kits, sdk: sdk))
        } catch {
            complain(error.message)
            switch error {
            case .name, .identifier: throw ExitCode.validationFailure
            case .exists: throw Exit.refused
            case .missing: throw Exit.unavailable
            case .write: throw Exit.ioError
            }
        }
    }

    private func nextSteps(_ project: KitProject) -> [String] {
        let steps = [
            ("cd \(project.directory)", ""), ("make", language.building(project.name)),
            ("make test", "revokes its time half-way, then lets it continue"),
            ("bgrun --manifest \(project.name).yaml", "runs it"),
        ]
        let width = (steps.map(\.0.count).max() ?? 0) + 2
        return steps.map { step, meaning in
            meaning.isEmpty ? "  \(step)" : "  \(step.padded(to: width))# \(meaning)"
        }
    }

    private func installationProblem(_ installation: Installation) -> String? {
        switch language {
        case .swift: nil
        case .python where installation.plugin("python") != nil: nil
        case .python:
            """
            this bgrun has no plugin python; build bgrun where the headers of Python are (Debian: \
            libpython3-dev)
            """
        case .c, .cpp, .rust, .zig, .go: installation.pkgConfigProblem
        }
    }

    private var toolProblem: String? {
        let (program, package) = language.tool
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let isThere = path.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
        if isThere { return nil }
        let remedy = package.map { "; Debian has it in the package \($0)" } ?? ""
        return "\(program) is not on the PATH, and the project needs it\(remedy)"
    }
}
