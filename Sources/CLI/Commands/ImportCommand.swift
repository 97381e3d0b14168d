// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunManifest
import BGRunPolicy
import BGRunSchedulerInterop
import BGRunSupervisor
import BGRunSystem
import FoundationEssentials
import Glibc

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Convert a crontab, timers, launchd jobs or an Info.plist to a manifest.",
        discussion: """
            The kind of a file is recognised by its name and contents. Standard error and the end \
            of the manifest list every meaning that is lost or changed, with its line. Timers are \
            read with their services and drop-ins. Jobs of several users become several manifests, \
            for which --output names a directory. The permitted identifiers and background modes \
            come from an iOS app's Info.plist, and the rest is guessed. Existing files are never \
            overwritten.

            Example: bgrun import crontab.txt > jobs.yaml
            """)

    @Argument(
        help: .value(
            "files", "Files, directories, or - for standard input: `crontab -l | bgrun import -`."),
        completion: .file())
    var files: [String]

    @Option(help: "Format of the files (default: detected).")
    var from: ExchangeFormat?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Where the manifest is written: a file, a directory, or - for standard output, the default.",
            valueName: "file"), completion: .file())
    var output: String?

    @Option(
        help: .value(
            "identifier",
            "The app's identifier, and the value of $(PRODUCT_BUNDLE_IDENTIFIER). Default: made "
                + "from the file's name, or an Info.plist's CFBundleIdentifier."))
    var app: String?

    @Flag(help: "Write nothing, and exit with 65, when a meaning would be lost.")
    var strict = false

    @Option(
        help: .value("name=value", "The value of a build variable of an Info.plist: $(NAME)."))
    var define: [String] = []

    @Option(
        help: ArgumentHelp(
            "The plugin with the handlers of an Info.plist. It is loaded in a process of its own to "
                + "see what it registers. Default: commands replace the handlers.",
            valueName: "file"), completion: .file(extensions: ["so"]))
    var plugin: String?

    func validate() throws {
        for definition in define where !definition.dropFirst().contains("=") {
            throw ValidationError("--define takes a name and a value, such as TEAM=ABCDE")
        }
        if let app, !IdentifierRule.isWellFormed(app, wildcard: false) {
            throw ValidationError("--app takes letters, digits, - and _, in parts joined by dots")
        }
    }

    func run() throws {
        try requirePlugin()
        var texts: [String: String] = [:]
        let isProperty = files.count == 1 && files[0].hasSuffix("Info.plist")
        let format =
            if let from { from } else if isProperty { ExchangeFormat.infoPlist } else {
                try ImportFiles.format(files, &texts)
            }
        guard format != .infoPlist else {
            guard files.count == 1, files[0] != "-" else {
                throw ValidationError("one Info.plist at a time, as a file")
            }
            return try importInfoPlist(files[0])
        }
        try importSchedule(
            ScheduleImport(format: format, paths: files, app: app, texts: texts).read())
    }

    private func requirePlugin() throws {
        guard let plugin, access(plugin, R_OK) != 0 else { return }
        let reason = String(cString: strerror(errno))
        throw Exit.noInput.reporting(
            "--plugin: the file \(LogText.visible(plugin)) cannot be read: \(reason)")
    }

    /// The file or directory to write; nil: standard output.
    private var destination: String? { output == "-" ? nil : output }

    /// Whether --output names a directory; each manifest in it is named after its app.
    private var isDirectory: Bool {
        destination.map { $0.hasSuffix("/") || ImportFiles.isDirectory($0) } ?? false
    }

    /// The manifest file of an app in the directory that --output names.
    private func file(of app: String, in directory: String) -> String {
        directory + (directory.hasSuffix("/") ? "" : "/") + app + ".yaml"
    }

    // MARK: schedules

    private func importSchedule(_ read: PortableApp) throws {
        for note in read.notes { complain(LogText.visible(note.text)) }
        guard !read.tasks.isEmpty else {
            throw Exit.badData.reporting("no job to import in \(LogText.visible(read.origin))")
        }
        if strict, read.losesMeaning {
            throw Exit.badData.reporting(
                "a meaning would be lost, and --strict is given: nothing is written")
        }
        let apps = read.byUser()
        for app in apps { try check(app.yaml, destination) }
        guard let destination else {
            guard apps.count == 1, let only = apps.first else {
                throw Exit.badData.reporting(
                    "these jobs run as \(apps.count) users, and a manifest's run as one; write the "
                        + "manifests to a directory with -o")
            }
            return print(only.yaml, terminator: "")
        }
        guard apps.count > 1 || isDirectory else {
            return try NewFile.write(apps[0].yaml, to: destination)
        }
        let files = apps.map { file(of: $0.app, in: destination) }
        for file in files { try NewFile.requireAbsent(file) }
        try NewFile.makeDirectory(destination)
        for (app, file) in zip(apps, files) { try NewFile.write(app.yaml, to: file) }
    }

    // MARK: Info.plist

    private func importInfoPlist(_ file: String) throws {
        let manifest = try imported(file)
        let yaml = manifest.yaml
        let target = target(of: manifest.app)
        try check(yaml, target)
        if let target {
            if isDirectory, let destination { try NewFile.makeDirectory(destination) }
            try NewFile.write(yaml, to: target)
        } else {
            print(yaml, terminator: "")
        }
        if !manifest.notes.isEmpty {
            let place = target.map { "the end of \($0)" } ?? "the end"
            complain("what was left out or added is listed at \(place)")
        }
    }

    /// The file that the manifest is written to; nil: standard output.
    private func target(of app: String) -> String? {
        destination.map { isDirectory ? file(of: app, in: $0) : $0 }
    }

    private func imported(_ file: String) throws -> ImportedManifest {
        let variables = BuildVariables(
            values: Dictionary(
                define.map { line in
                    let words = line.split(separator: "=", maxSplits: 1)
                    return (String(words[0]), words.count > 1 ? String(words[1]) : "")
                }, uniquingKeysWith: { $1 }))
        return try ImportedManifest(
            InfoPlist(path: file), path: file, app: app, variables: variables,
            plugin: { app in try plugin.map { try read($0, app) } })
    }

    /// Loads the plugin to find the tasks that it registers handlers for.
    private func read(_ plugin: String, _ app: String) throws -> ImportedPlugin {
        let finding = try Probe.load(plugin, app: .permittingAll(of: app))
        guard case .loaded(let loaded) = finding else {
            throw Exit.badData.reporting(LogText.visible("\(plugin): \(finding.problem ?? "")"))
        }
        return ImportedPlugin(path: written(plugin, in: target(of: app)), loaded: loaded)
    }

    /// The plugin's path in the manifest; a relative path starts from the manifest's directory.
    private func written(_ plugin: String, in manifest: String?) -> String {
        guard let manifest else { return plugin }
        let isBeside = DaemonPlaces.isSameFile(ParentDirectory.containing(manifest), ".")
        guard !isBeside else { return plugin }
        return AbsolutePath.of(plugin)
    }

    /// Refuses to write an unusable manifest, for example one with a missing plugin.
    private func check(_ yaml: String, _ file: String?) throws {
        let path = file ?? "manifest.yaml"
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        do throws(ManifestProblems) {
            _ = try ManifestReader.read(
                bytes: Array(yaml.utf8), path: path, directory: directory, options: .installed())
        } catch {
            Diagnostics.show(error.diagnostics)
            throw Exit.badData
        }
    }
}

extension ExchangeFormat: ExpressibleByArgument {}
