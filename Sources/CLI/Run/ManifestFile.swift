// SPDX-License-Identifier: Apache-2.0

import BGRunInspection
import BGRunManifest

/// The manifest file of a run.
struct ManifestFile {
    /// The path as given.
    let path: String

    /// Reads the manifest; throws its problems. Only `lint` and `run` show warnings, which are for its
    /// author.
    func read(
        checkingFiles: Bool = true, warning: Bool = false, isHosted: Bool = false
    ) throws -> Manifest {
        let reading = try reading(checkingFiles: checkingFiles, isHosted: isHosted)
        if warning { Diagnostics.show(reading.warnings) }
        return reading.manifest
    }

    /// The current manifest. Other users must not be able to change one that a daemon hosts: its
    /// plugins and commands run with this user's rights.
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
