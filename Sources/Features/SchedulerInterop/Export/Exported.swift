// SPDX-License-Identifier: Apache-2.0

/// Files for another scheduler, and what they cannot say.
package struct Exported: Hashable, Sendable {
    package struct File: Hashable, Sendable {
        /// Without a directory.
        package var name: String
        package var text: String
    }

    package var files: [File] = []
    package var notes: [ConversionNote] = []

    /// Begins with what the manifest says of all tasks.
    init(_ app: PortableApp) {
        notes = app.notes
    }

    /// Whether a meaning was lost.
    package var losesMeaning: Bool { notes.contains { $0.weight == .lost } }

    /// The tasks that have a name of their own.
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

/// What an export needs to know besides the tasks.
package struct ExportOptions: Sendable {
    /// The manifest, absolute: it is named where only bgrun can run a task.
    var manifest: String
    /// The bgrun those commands call.
    var bgrun: String
    /// The home of whoever's crontab it will be, where cron starts commands; nil when it is not known.
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

    /// Where a task without a directory of its own starts.
    var directory: String { manifest.directoryName }

    func directory(of command: PortableCommand) -> String {
        guard let directory = command.directory, directory != "." else { return self.directory }
        return absolute(directory)
    }

    /// A relative path starts at the manifest.
    func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        let plain = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        return directory == "/" ? "/\(plain)" : "\(directory)/\(plain)"
    }

    /// What runs a task only bgrun can run: it is submitted, and a host runs what is eligible.
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
    /// A task's name without the app's.
    func shortName(_ task: PortableTask) -> String {
        task.identifier.hasPrefix(app + ".")
            ? String(task.identifier.dropFirst(app.count + 1)) : task.identifier
    }
}
