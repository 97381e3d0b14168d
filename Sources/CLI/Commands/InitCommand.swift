// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunPolicy

struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write the shortest manifest that runs.",
        discussion: """
            The manifest has one task, whose command is to be replaced. To run it at once: `bgrun \
            -m notes.yaml --once`. `bgrun plugin new` writes the project of a plugin instead.

            Example: bgrun init notes.yaml
            """)

    @Argument(help: "The manifest to write. It is not overwritten.", completion: .yamlFiles)
    var file = "app.yaml"

    @Option(help: .value("identifier", "The app's identifier."))
    var app = "com.example.app"

    @Option(help: .value("kind", "The kind of the task: app-refresh or processing."))
    var kind = "processing"

    func validate() throws {
        guard IdentifierRule.isWellFormed(app, wildcard: false) else {
            throw ValidationError("--app takes letters, digits, - and _, in parts joined by dots")
        }
        guard ["app-refresh", "processing"].contains(kind) else {
            throw ValidationError(
                "--kind is app-refresh or processing; `bgrun advise` helps with the others")
        }
    }

    func run() throws {
        try NewFile.write(text, to: file)
        print(
            "Wrote \(file); next: bgrun lint \(file), bgrun -m \(file) --once, bgrun verify -m \(file)"
        )
    }

    private var text: String {
        let isRefresh = kind == "app-refresh"
        let task = "\(app).\(isRefresh ? "refresh" : "cleanup")"
        return """
            bgrun: 1
            app: \(app)
            modes: [\(isRefresh ? "fetch" : "processing")]
            permitted_identifiers: [\(task)]
            # A server's policy: launch when due. Without this line, launches are paced as on a phone.
            policy: {profile: server}
            plugins: {exec: exec}
            tasks:
              \(task):
                kind: \(kind)
                handler: exec.run
                parameters: {command: "echo replace this command"}
                \(isRefresh ? "every: 15m" : "every: 1d")

            """
    }
}
