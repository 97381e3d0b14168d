// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The manifest that a command applies to.
struct ManifestOption: ParsableArguments {
    @Option(
        name: .shortAndLong, help: .value("file", "The app's manifest."), completion: .yamlFiles)
    var manifest: String
}

/// The manifest that a command runs.
struct ManifestOptions: ParsableArguments {
    @OptionGroup var file: ManifestOption
    @OptionGroup var place: StateOption

    var manifest: String { file.manifest }
}

/// The directory of states.
struct StateOption: ParsableArguments {
    @Option(
        help: .value(
            "directory", "Where state is kept, in a directory named after the app.",
            discussion: "Default: $XDG_STATE_HOME/bgrun, else ~/.local/state/bgrun."),
        completion: .directory)
    var state: String?

    var states: StatePlaces { StatePlaces(override: state) }

    /// The option for another command line, after a space; empty if it was not given.
    var arguments: String { states.arguments }
}
