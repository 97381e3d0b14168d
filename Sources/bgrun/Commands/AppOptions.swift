// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunManifest
import BGRunPluginFile
import BGRunStore
import Glibc

/// Which app a command is about.
struct AppOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The app's manifest.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var manifest: String

    @Option(
        help: ArgumentHelp(
            "Where state is kept, in a directory named after the app.",
            discussion: "Default: $XDG_STATE_HOME/bgrun, else ~/.local/state/bgrun.",
            valueName: "directory"), completion: .directory)
    var state: String?

    /// Reads the manifest; what is wrong with it is shown, and ends the command.
    /// Warnings are for those who write the manifest: `lint` shows them, and `run`.
    func readManifest(
        checkingFiles: Bool = true, warning: Bool = false, isHosted: Bool = false
    ) throws -> Manifest {
        return try Diagnostics.ending { () throws(ManifestProblems) in
            let reading = try reading(checkingFiles: checkingFiles, isHosted: isHosted)
            if warning { Diagnostics.show(reading.warnings) }
            return reading.manifest
        }
    }

    /// The manifest as it is now. One that a daemon hosts must be nobody else's to change: what it names
    /// runs with this user's rights.
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

    func stateDirectory(of app: String) throws(StateDirectoryError) -> StateDirectory {
        try StateDirectory(
            app: app, override: state ?? DaemonPlaces.state(of: app, manifest),
            environment: Self.stateEnvironment, userID: geteuid())
    }

    /// What the place of state directories depends on.
    static var stateEnvironment: [String: String] {
        var environment: [String: String] = [:]
        for name in ["XDG_STATE_HOME", "HOME"] {
            if let value = getenv(name) { environment[name] = String(cString: value) }
        }
        return environment
    }
}

extension ManifestProblems {
    var isMissingFile: Bool {
        diagnostics.contains { $0.code == .unreadableFile }
    }
}
