// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunInspection
import BGRunManifest

/// The manifest a command is about.
struct ManifestOption: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The app's manifest.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var manifest: String
}

/// The manifest a command runs by.
struct ManifestOptions: ParsableArguments {
    @OptionGroup var file: ManifestOption
    @OptionGroup var place: StateOption

    var manifest: String { file.manifest }

    /// Reads the manifest; what is wrong with it is shown, and ends the command.
    /// Warnings are for the author of the manifest: `lint` shows them, and `run`.
    func readManifest(
        checkingFiles: Bool = true, warning: Bool = false, isHosted: Bool = false
    ) throws -> Manifest {
        let reading = try reading(checkingFiles: checkingFiles, isHosted: isHosted)
        if warning { Diagnostics.show(reading.warnings) }
        return reading.manifest
    }

    /// The manifest as it is now. No other user may be able to change one that a daemon hosts: what it
    /// names runs with this user's rights.
    func reading(
        checkingFiles: Bool = true, isHosted: Bool
    ) throws(ManifestProblems) -> ManifestReading {
        if isHosted, let refusal = TrustedFile.refusal(of: manifest) {
            throw ManifestProblems(diagnostics: [
                Diagnostic(
                    severity: .error, code: .untrustedFile, file: manifest, mark: nil,
                    message: "others could change it: \(refusal.reason)", remedy: refusal.remedy)
            ])
        }
        return try ManifestReader.read(
            path: manifest, options: .installed(checkingFiles: checkingFiles))
    }
}

extension ManifestProblems {
    var isMissingFile: Bool {
        diagnostics.contains { $0.code == .unreadableFile }
    }
}
