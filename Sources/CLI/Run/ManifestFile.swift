// SPDX-License-Identifier: Apache-2.0

import BGRunInspection
import BGRunManifest

/// The manifest a command runs by.
struct ManifestFile {
    /// As it was given.
    let path: String

    /// Reads the manifest; throws what is wrong with it.
    /// Warnings are for the author of the manifest: `lint` shows them, and `run`.
    func read(
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
        if isHosted, let refusal = TrustedFile.refusal(of: path) {
            throw ManifestProblems(diagnostics: [
                Diagnostic(
                    severity: .error, code: .untrustedFile, file: path, mark: nil,
                    message: "others could change it: \(refusal.reason)", remedy: refusal.remedy)
            ])
        }
        return try ManifestReader.read(
            path: path, options: .installed(checkingFiles: checkingFiles))
    }
}

extension ManifestProblems {
    var isMissingFile: Bool {
        diagnostics.contains { $0.code == .unreadableFile }
    }
}
