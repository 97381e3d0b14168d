// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunManifest
import BGRunSchedulerInterop
import FoundationEssentials

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Convert a manifest to units, a crontab, CronJobs or Nomad jobs.",
        discussion: """
            Each task becomes a job of the other scheduler: a command as itself, anything else as \
            a call of bgrun. Standard error lists every meaning that the other one cannot express, \
            with its line. Existing files are never overwritten.

            Example: bgrun export -m notes.yaml --to systemd --output units
            """)

    enum Target: String, CaseIterable, ExpressibleByArgument {
        case systemd, crontab, kubernetes, nomad
    }

    @OptionGroup var app: ManifestOption

    @Option(help: "The other scheduler; required.")
    var to: Target?

    @Option(
        name: .shortAndLong,
        help: .value(
            "directory", "The directory the files are written to. Default: standard output."),
        completion: .directory)
    var output: String?

    @Option(help: .value("name", "The image of Kubernetes' containers."))
    var image = "debian:stable-slim"

    @Flag(help: "Write nothing, and exit with 65, when a meaning would be lost.")
    var strict = false

    func validate() throws {
        guard to == nil else { return }
        let words = Target.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("the other scheduler is missing; give --to: \(words)")
    }

    func run() throws {
        let exported = try self.exported()
        for note in exported.notes { complain(LogText.visible(note.text)) }
        if strict, exported.losesMeaning {
            throw Exit.badData.reporting(
                "a meaning would be lost, and --strict is given: nothing is written")
        }
        guard let output else { return show(exported.files) }
        try NewFile.makeDirectory(output)
        for file in exported.files { try NewFile.write(file.text, to: "\(output)/\(file.name)") }
    }

    private func exported() throws -> Exported {
        let path = self.app.manifest
        let reading = try ManifestReader.read(path: path, options: .installed())
        let bytes = FileManager.default.contents(atPath: path).map(Array.init) ?? []
        let app = try PortableApp(manifest: bytes, path: path)
        let name = String(path.split(separator: "/").last ?? "")
        let options = ExportOptions(
            manifest: "\(reading.manifest.directory)/\(name)", bgrun: bgrun,
            home: ProcessInfo.processInfo.environment["HOME"], image: image)
        return switch target {
        case .systemd: UnitWriter.write(app, options: options)
        case .crontab: CrontabWriter.write(app, options: options)
        case .kubernetes: KubernetesWriter.write(app, options: options)
        case .nomad: NomadWriter.write(app, options: options)
        }
    }

    /// `validate` rejects a command without it.
    private var target: Target { to ?? .systemd }

    /// On this machine the path of this executable; on others the name, for a search in PATH.
    private var bgrun: String {
        switch target {
        case .systemd, .crontab: Installation().executable
        case .kubernetes, .nomad: "bgrun"
        }
    }

    /// Prints several files as one text: YAML documents, or each file below its name.
    private func show(_ files: [Exported.File]) {
        for (index, file) in files.enumerated() {
            if files.count > 1 {
                if target == .kubernetes {
                    if index > 0 { print("---") }
                } else {
                    print(index > 0 ? "\n# \(file.name)" : "# \(file.name)")
                }
            }
            print(file.text, terminator: "")
        }
    }
}
