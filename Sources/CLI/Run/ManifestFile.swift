// SPDX-License-Identifier: Apache-2.0

import BGRunDaemon
import BGRunInspection
import BGRunManifest
import Glibc

/// The manifest file of a run.
struct ManifestFile {
    /// The path as given.
    let path: String

    /// Reads the manifest; throws its problems. Only `lint`, `run` and `verify` show warnings, which are
    /// for its author.
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
            throw ManifestProblems(diagnostics: [diagnostic(.error, refusal)])
        }
        let reading = try ManifestReader.read(
            path: path, options: .installed(checkingFiles: checkingFiles))
        if isHosted { try checkVariables(of: reading.manifest) }
        return reading
    }

    /// The variables of its files, such as LD_PRELOAD, run code with this user's rights, too.
    private func checkVariables(of manifest: Manifest) throws(ManifestProblems) {
        for file in Set(manifest.tasks.flatMap(\.environmentFiles)).sorted() {
            guard let refusal = TrustedFile.refusal(of: file) else { continue }
            throw ManifestProblems(diagnostics: [diagnostic(.error, refusal, "env_file \(file): ")])
        }
    }

    /// What a host that is to be started refuses though the manifest is valid: others could change the file.
    ///
    /// - Parameter manifest: Its contents; nil if they are not valid.
    func untrusted(_ manifest: Manifest?) -> Diagnostic? {
        TrustedFile.refusal(of: path, user: user(of: manifest)).map {
            diagnostic(.warning, $0, "\(Self.refuser) refuses it: ")
        }
    }

    /// Which hosts require that others cannot change the manifest. Those that a user starts for
    /// himself do not.
    static var refuser: String { geteuid() == 0 ? "a host" : "the daemon" }

    private func diagnostic(
        _ severity: Diagnostic.Severity, _ refusal: PluginFileRefusal, _ prefix: String = ""
    ) -> Diagnostic {
        Diagnostic(
            severity: severity, code: .untrustedFile, file: path, mark: nil,
            message: "\(prefix)others could change it: \(refusal.reason)", remedy: refusal.remedy)
    }

    /// The user whose rights a daemon gives to the app.
    private func user(of manifest: Manifest?) -> uid_t {
        var status = stat()
        let me = Account(geteuid())
        guard me.uid == 0, stat(path, &status) == 0 else { return me.uid }
        let owner = Account(status.st_uid)
        let requested = manifest?.account.user.flatMap { Account(named: $0) }
        // A refused request for another user leaves the owner's rights as the only possible ones.
        let granted = try? AccountRule.account(
            requested, owner: owner, daemon: me, changesUsers: true)
        return (granted ?? owner).uid
    }
}

extension ManifestProblems {
    var isMissingFile: Bool {
        diagnostics.contains { $0.code == .unreadableFile }
    }
}
