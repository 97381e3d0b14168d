// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunManifest
import BGRunPluginFile
import BGRunSupervisor

struct LintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Check a manifest, and the plugins and libraries it names.",
        discussion: """
            Shows everything that is wrong at once, each with file:line:column. Libraries of \
            foreign calls are looked at, not loaded. Exits with 65 when the manifest cannot be \
            used, and 77 when a plugin file would be refused.
            """)

    @Argument(help: "The manifests.", completion: .file(extensions: ["yaml", "yml"]))
    var files: [String] = []

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("A manifest, as for other commands.", valueName: "file"))
    var manifest: [String] = []

    @OptionGroup var output: JSONOption

    func validate() throws {
        if files.isEmpty, manifest.isEmpty { throw ValidationError("name a manifest") }
    }

    func run() throws {
        var diagnostics: [Diagnostic] = []
        var code: ExitCode?
        for file in files + manifest {
            do throws(ManifestProblems) {
                let reading = try ManifestReader.read(path: file, options: .lint())
                let refused = refusals(of: reading.manifest)
                diagnostics += reading.warnings + refused
                if !refused.isEmpty { code = code ?? Exit.refused }
            } catch {
                diagnostics += error.diagnostics
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

    /// The plugin files that would be refused, at the place where the manifest names them.
    private func refusals(of manifest: Manifest) -> [Diagnostic] {
        let images = PluginImages(installation: Installation())
        return manifest.plugins.compactMap { plugin in
            guard case .failure(let refusal) = images.image(manifest, plugin.name) else {
                return nil
            }
            return Diagnostic(
                severity: .error, code: .missingFile, file: manifest.path, mark: plugin.mark,
                message: "plugin \"\(plugin.name)\": \(refusal.message)",
                remedy: "`bgrun plugin check` says more about the file")
        }
    }
}
