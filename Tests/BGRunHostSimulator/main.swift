// SPDX-License-Identifier: Apache-2.0

import BGRunHostSimulation
import Glibc

/// `bgrun-host-simulator [--seed N] [--seeds N] [--steps N] [--verbose]`: Docs/host-simulation.md.
struct Options {
    var seed: UInt64?
    var seeds: UInt64 = 1_000
    var first: UInt64 = 1
    var steps = HostSimulation.steps
    var isVerbose = false

    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            switch word {
            case "--verbose": isVerbose = true
            case "--seed", "--seeds", "--first", "--steps":
                guard let text = rest.popFirst(), let number = UInt64(text) else { return nil }
                switch word {
                case "--seed": seed = number
                case "--seeds": seeds = number
                case "--first": first = number
                default: steps = Int(clamping: number)
                }
            default: return nil
            }
        }
    }
}

/// The number of lines that are shown for a seed that violates an invariant.
let shownLines = 40

func tell(_ seed: UInt64, _ options: Options) throws -> Bool {
    let run = try HostSimulation.run(seed: seed, steps: options.steps, isTracing: true)
    let lines =
        options.isVerbose ? run.lines[...] : run.lines.suffix(run.violation == nil ? 0 : shownLines)
    for line in lines { print(line) }
    print("seed \(seed): digest \(String(run.digest, radix: 16)), \(run.counts)")
    guard let violation = run.violation else { return true }
    print(violation)
    print("bgrun-host-simulator --seed \(seed) --steps \(options.steps) --verbose shows all of it")
    return false
}

// For SupervisorPortTests: the real supervisor needs a process without other children.
if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "--supervisor" {
    let faults = try SupervisorContract.checkReal(worker: CommandLine.arguments[2])
    for fault in faults { print(fault) }
    exit(faults.isEmpty ? 0 : 1)
}
guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
    print("usage: bgrun-host-simulator [--seed N] [--seeds N] [--first N] [--steps N] [--verbose]")
    exit(64)
}
if let seed = options.seed {
    exit(try tell(seed, options) ? 0 : 1)
}
let end = options.first.addingReportingOverflow(options.seeds)
let summary = HostSimulation.run(
    seeds: options.first..<(end.overflow ? .max : end.partialValue), steps: options.steps)
if let failure = summary.failure { print(failure) }
if let violation = summary.violation {
    _ = try tell(violation.seed, options)
    exit(1)
}
print("\(summary.seeds) seeds, digest \(String(summary.digest, radix: 16)): \(summary.counts)")
exit(summary.failure == nil ? 0 : 1)
