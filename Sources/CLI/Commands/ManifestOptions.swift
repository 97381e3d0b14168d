// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunManifest

/// The manifest that a command applies to.
struct ManifestOption: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The app's manifest.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var manifest: String
}

/// The manifest that a command runs.
struct ManifestOptions: ParsableArguments {
    @OptionGroup var file: ManifestOption
    @OptionGroup var place: StateOption

    var manifest: String { file.manifest }

    /// Reads the manifest; throws its problems. Only `lint` and `run` show warnings, which are for
    /// its author.
    func readManifest(checkingFiles: Bool = true, warning: Bool = false) throws -> Manifest {
        try ManifestFile(path: manifest).read(checkingFiles: checkingFiles, warning: warning)
    }
}
