// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The apps that a command applies to, if it accepts several.
struct AppsOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: .value(
            "file", "An app's manifest; may be given several times.",
            discussion: "Default: every app that has a state directory."), completion: .yamlFiles)
    var manifest: [String] = []

    @Option(
        name: .customLong("app"),
        help: .value("name", "An app by its name; may be given several times."))
    var names: [String] = []

    func validate() throws {
        for name in names { try AppChoice.check(name) }
    }
}
