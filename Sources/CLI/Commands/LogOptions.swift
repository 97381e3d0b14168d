// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The amount and the format of a host's log.
struct LogOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Log only what went wrong.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Log more.")
    var verbose = false

    @Flag(help: "Log JSON, one object a line.")
    var json = false

    @Flag(
        help: ArgumentHelp(
            "Begin each line with its syslog priority, <3> to <7>.",
            discussion:
                "For log readers that understand it; systemd's journal gets the priority without it."
        ))
    var priorities = false

    func validate() throws {
        if quiet, verbose { throw ValidationError("--quiet and --verbose cannot be combined") }
        if priorities, json { throw ValidationError("--priorities and --json cannot be combined") }
    }

    var style: LogStyle {
        LogStyle(quiet: quiet, verbose: verbose, json: json, priorities: priorities)
    }
}
