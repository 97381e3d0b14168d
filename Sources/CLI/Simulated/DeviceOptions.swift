// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunSimulation

/// The device and the clock of a run.
struct DeviceOptions: ParsableArguments {
    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case host, simulated
    }

    @Option(
        help: .value(
            "device", "The source of the conditions.",
            discussion: "host: this machine; simulated: --scenario."))
    var device = Kind.host

    @Option(
        name: .shortAndLong,
        help: .value("file", "What a simulated device and its users do; see Docs/simulation.md."),
        completion: .yamlFiles)
    var scenario: String?

    @Option(
        help: ArgumentHelp(
            "The clock of a simulated device.",
            discussion: """
                virtual: skips the time in which nothing runs, and otherwise keeps real time; \
                virtual=60: otherwise a minute each second. scaled=60: always a minute each \
                second. Default: virtual.
                """, valueName: "clock"), completion: .list(["virtual", "scaled=60"]),
        transform: Rate.Mode.parse)
    var clock: Rate.Mode?

    @Option(help: .value("number", "The seed, in place of the scenario's."))
    var seed: UInt64?

    func validate() throws {
        if device == .simulated {
            guard scenario != nil else {
                throw ValidationError("--device simulated needs a --scenario")
            }
        } else if scenario != nil || clock != nil || seed != nil {
            throw ValidationError("--scenario, --clock and --seed need --device simulated")
        }
    }

    var rehearsal: RehearsalOptions {
        RehearsalOptions(scenario: scenario, clock: clock, seed: seed)
    }
}

extension Rate.Mode {
    @Sendable
    fileprivate static func parse(_ text: String) throws -> Rate.Mode {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let factor = parts.count > 1 ? Int64(parts[1]) : parts[0] == "scaled" ? 60 : 1
        guard let factor, (1...100_000).contains(factor), ["virtual", "scaled"].contains(parts[0])
        else {
            throw ValidationError(
                "the clock must be virtual, virtual=N, scaled or scaled=N, with N from 1 to 100000")
        }
        return parts[0] == "virtual" ? .virtual(factor) : .scaled(factor)
    }
}
