// SPDX-License-Identifier: Apache-2.0

/// Files for another scheduler, and notes about features that they lack.
package struct Exported: Equatable, Sendable {
    package struct File: Equatable, Sendable {
        /// Without a directory.
        package var name: String
        package var text: String
    }

    package var files: [File] = []
    package var notes: [ConversionNote] = []

    /// Begins with the notes about all tasks of the manifest.
    init(_ app: PortableApp) {
        notes = app.notes
    }

    /// Whether a meaning was lost.
    package var losesMeaning: Bool { notes.contains { $0.weight == .lost } }

    /// The tasks without a wildcard; notes the others as lost.
    mutating func exportable(_ app: PortableApp) -> [PortableTask] {
        for task in app.tasks where task.identifier.hasSuffix(".*") {
            note(
                .lost, task, "*", "requests name these tasks, and no other scheduler takes any",
                "declare a task for each identifier that is wanted")
        }
        return app.tasks.filter { !$0.identifier.hasSuffix(".*") }
    }

    mutating func note(
        _ weight: ConversionNote.Weight, _ task: PortableTask, _ word: String, _ instead: String,
        _ remedy: String = ""
    ) {
        notes.add(weight, task.place, "\(task.identifier): \(word)", instead, remedy)
    }

    mutating func add(_ name: String, _ lines: [String]) {
        files.append(File(name: name, text: lines.joined(separator: "\n") + "\n"))
    }
}

/// Options of an export.
package struct ExportOptions: Sendable {
    /// The absolute path of the manifest, named where only bgrun can run a task.
    var manifest: String
    /// The bgrun executable in those commands.
    var bgrun: String
    /// The home of the user of the crontab, where cron starts commands; nil if unknown.
    var home: String?
    /// The image of a cluster's containers.
    package var image: String

    package init(
        manifest: String, bgrun: String = "bgrun", home: String? = nil,
        image: String = "debian:stable-slim"
    ) {
        self.manifest = manifest
        self.bgrun = bgrun
        self.home = home
        self.image = image
    }

    /// Where a task without its own directory starts.
    var directory: String { manifest.directoryName }

    func directory(of command: PortableCommand) -> String {
        guard let directory = command.directory, directory != "." else { return self.directory }
        return absolute(directory)
    }

    /// A relative path is resolved from the manifest's directory.
    func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        let plain = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        return directory == "/" ? "/\(plain)" : "\(directory)/\(plain)"
    }

    /// The commands for a task that only bgrun can run: they submit it, and a host runs eligible requests.
    func commands(_ identifier: String) -> [[String]] {
        [
            [bgrun, "submit", "--manifest", manifest, identifier],
            [bgrun, "run", "--once", "--quiet", "--manifest", manifest],
        ]
    }

    /// The same as one line of the shell.
    func line(_ identifier: String) -> String {
        commands(identifier).map(ShellText.joined).joined(separator: " && ")
    }
}

extension PortableApp {
    /// A task's name without the app's prefix.
    func shortName(_ task: PortableTask) -> String {
        task.identifier.hasPrefix(app + ".")
            ? String(task.identifier.dropFirst(app.count + 1)) : task.identifier
    }
}
