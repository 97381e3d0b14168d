// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunInspection
import BGRunManifest
import BGRunSupervisor

struct LintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Check a manifest, and the plugins and libraries it names.",
        discussion: """
            Shows all errors at once, each with file:line:column. Libraries of foreign calls are \
            examined, not loaded. Exits with 65 when the manifest cannot be used, and 77 when a \
            plugin file would be refused or does not have the handler of a task. Each plugin is \
            loaded in a process of its own to see what it registers. If a task requires its \
            confinement, the layers that this machine lacks are named.

            Example: bgrun lint notes.yaml
            """)

    @Argument(help: "The manifests.", completion: .yamlFiles)
    var files: [String] = []

    @Option(name: .shortAndLong, help: .value("file", "A manifest, as for other commands."))
    var manifest: [String] = []

    @OptionGroup var output: JSONOption

    func validate() throws {
        if files.isEmpty, manifest.isEmpty { throw ValidationError("name a manifest") }
    }

    func run() throws {
        var diagnostics: [Diagnostic] = []
        var code: ExitCode?
        for file in files + manifest {
            do {
                let reading = try ManifestReader.read(path: file, options: .lint())
                let refused = try refusals(of: reading.manifest)
                diagnostics += untrusted(file, reading.manifest) + reading.warnings + refused
                diagnostics += RequiredLayers(manifest: reading.manifest).diagnostics
                if !refused.isEmpty { code = code ?? Exit.refused }
            } catch let error as ManifestProblems {
                diagnostics += untrusted(file, nil) + error.diagnostics
                code = error.isMissingFile ? Exit.noInput : Exit.badData
            }
        }
        if output.json {
            print("[" + diagnostics.map(\.json).joined(separator: ",\n") + "]")
        } else {
            Diagnostics.show(diagnostics)
            if code == nil { print("\((files + manifest).joined(separator: ", ")): no errors") }
        }
        if let code { throw code }
    }

    private func untrusted(_ file: String, _ manifest: Manifest?) -> [Diagnostic] {
        [ManifestFile(path: file).untrusted(manifest)].compactMap(\.self)
    }

    /// The plugin files that a host would refuse, and the tasks whose handlers are missing.
    private func refusals(of manifest: Manifest) throws -> [Diagnostic] {
        let installation = Installation()
        let images = PluginImages(installation: installation)
        return try manifest.plugins.flatMap { plugin -> [Diagnostic] in
            let file = { (message: String, code: DiagnosticCode) in
                Diagnostic(
                    severity: .error, code: code, file: manifest.path, mark: plugin.mark,
                    message: "plugin \"\(plugin.name)\": \(LogText.visible(message))",
                    remedy: "`bgrun plugin check` says more about the file")
            }
            switch images.check(manifest, plugin.name) {
            case .failure(let failure):
                return [file(failure.refusal.message, failure.check?.code ?? .unknownShippedPlugin)]
            case .success(let image):
                guard let worker = installation.worker,
                    manifest.tasks.contains(where: { $0.isHandled(by: plugin.name) })
                else { return [] }
                do {
                    let check = try HandlerCheck(manifest, plugin.name, image, worker: worker)
                    return check.problems.map {
                        Diagnostic(
                            severity: .error, code: .unknownHandler, file: manifest.path,
                            mark: $0.task.mark, message: $0.message, remedy: $0.remedy)
                    }
                } catch let error as HandlerCheck.Unloadable {
                    return [file(error.reason, .badLibrary)]
                }
            }
        }
    }
}

extension PluginFileRefusal.Check {
    /// The code for a plugin file that fails the check.
    fileprivate var code: DiagnosticCode {
        switch self {
        case .exists, .regularFile: .missingFile
        case .readable: .unreadableFile
        case .owner, .mode, .directories: .untrustedFile
        case .elfHeader, .elfClass, .byteOrder, .machine, .type, .complete: .badLibrary
        case .entrySymbol: .missingFunction
        case .sha256: .badDigest
        }
    }
}
