// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Measures the policy; build it with `-c release`. Uses processor time, so that other work on the
/// machine matters less.
///
///     bgrun-policy-probe cycle [PENDING ...]        events per second with PENDING requests
///     bgrun-policy-probe queue CUSTOMERS RATE SEED  arrivals and departures per second, and the mean wait

struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state
    }

    /// At least 0, below 1.
    mutating func unit() -> Double { Double(next() >> 11) / Double(1 << 53) }
}

func seconds(_ body: () -> Void) -> Double {
    let begin = clock_gettime_nsec(CLOCK_PROCESS_CPUTIME_ID)
    body()
    return Double(clock_gettime_nsec(CLOCK_PROCESS_CPUTIME_ID) - begin) / 1e9
}

func clock_gettime_nsec(_ clock: clockid_t) -> Int {
    var now = timespec()
    clock_gettime(clock, &now)
    return now.tv_sec * 1_000_000_000 + now.tv_nsec
}

let arguments = CommandLine.arguments.dropFirst()
if arguments.first == "queue" {
    let numbers = arguments.dropFirst().compactMap { Double($0) }
    guard numbers.count == 3 else {
        fatalError("usage: bgrun-policy-probe queue CUSTOMERS RATE SEED")
    }
    var queue = Queue(rate: numbers[1], seed: UInt64(numbers[2]))
    var wait = 0.0
    let time = seconds { wait = queue.serve(Int(numbers[0])) }
    print(2 * numbers[0] / time, wait)
} else {
    for pending in arguments.dropFirst().compactMap({ Int($0) }) {
        var cycle = Cycle(pending: pending)
        cycle.run(cycles: 10_000)
        let fastest = (0..<5).map { _ in seconds { cycle.run(cycles: 100_000) } }.min() ?? 0
        print(300_000 / fastest)
    }
}
