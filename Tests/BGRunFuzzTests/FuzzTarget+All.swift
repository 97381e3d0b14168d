// SPDX-License-Identifier: Apache-2.0

extension FuzzTarget {
    /// One target for each parser of external input.
    static let all: [FuzzTarget] = [
        manifest, scenario, json, calendar, zone, journal, frames, hostMessage, workerMessage,
        control, service, crontab, anacrontab, unit, plist, elf, linkerCache,
        environmentFile, push, http, transferHeaders, denial,
    ]

    static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}
