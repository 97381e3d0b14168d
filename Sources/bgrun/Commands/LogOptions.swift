// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunHost
import Glibc

/// What a host says of what it does.
struct LogOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Say only what went wrong.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Say more.")
    var verbose = false

    @Flag(help: "Log JSON, one object a line.")
    var json = false

    func validate() throws {
        if quiet, verbose { throw ValidationError("--quiet and --verbose exclude each other") }
    }

    private var minimum: LogLine.Level { quiet ? .error : verbose ? .debug : .info }

    /// For a person at a terminal, else lines.
    func log(_ time: LogTime) -> any HostLog {
        !json && Terminal.isTerminal(STDERR_FILENO)
            ? TerminalLog(minimum: minimum, time: time) : lines(time)
    }

    func lines(_ time: LogTime) -> LineLog {
        LineLog(minimum: minimum, json: json, time: time)
    }

    /// The same for another bgrun.
    var arguments: [String] {
        [(quiet, "--quiet"), (verbose, "--verbose"), (json, "--json")].filter(\.0).map(\.1)
    }
}
