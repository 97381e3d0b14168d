// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunManifest
import BGRunPolicy

struct PermissionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "permissions",
        abstract: "Show what the handlers of tasks may do, and how exposed they are.",
        discussion: """
            For each task: what `confine` and its profile permit, which layers of confinement this \
            machine lacks, and an exposure from 0.0 (OK) to 10.0 (UNSAFE), the sum of what a \
            hostile handler could reach. Several tasks are a table; details of a task follow its \
            identifier.

            Example: bgrun permissions -m notes.yaml com.example.notes.backup
            """)

    @OptionGroup var app: AppOptions

    @Argument(help: .value("identifier", "The details of these tasks."))
    var identifiers: [String] = []

    @OptionGroup var output: JSONOption

    func run() throws {
        let manifest = try app.readManifest()
        let chosen = try identifiers.map { identifier in
            guard let task = manifest.task(for: identifier) else {
                throw manifest.unknown(identifier)
            }
            return task
        }
        let confinement = try AppConfinement(
            manifest, try app.stateDirectory(of: manifest.app))
        let tasks = chosen.isEmpty ? manifest.tasks : chosen
        let views = tasks.map { PermissionsView($0, confinement) }
        if output.json { return print(try JSONOutput.text(views)) }
        guard !views.isEmpty else { return print("no tasks") }
        print(
            chosen.isEmpty && views.count > 1
                ? PermissionsText.summary(views)
                : views.map(PermissionsText.details).joined(separator: "\n\n"))
    }
}
