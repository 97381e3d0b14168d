// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
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

    /// Reads the manifest; throws what is wrong with it.
    /// Warnings are for the author of the manifest: `lint` shows them, and `run`.
    func readManifest(checkingFiles: Bool = true, warning: Bool = false) throws -> Manifest {
        try ManifestFile(path: manifest).read(checkingFiles: checkingFiles, warning: warning)
    }
}
