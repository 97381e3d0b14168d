// SPDX-License-Identifier: Apache-2.0

/// What spreads the jobs of many machines and tasks: numbers that stay the same from start to start.
package struct CronSeeds: Hashable, Sendable {
    /// Of the machine and the task, for `~`.
    let machine: UInt64
    /// Of the task alone, for `H`.
    let task: UInt64

    /// - Parameters:
    ///   - machine: What tells the machine from others, for example the machine-id.
    ///   - identifier: The task's.
    package init(machine: String, identifier: String) {
        // The last bits of FNV-1a depend on little.
        self.machine = Self.mix("\(machine)\n\(identifier)".fnv1a)
        task = Self.mix(identifier.fnv1a)
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        var random = SplitMix(seed: value)
        return random.next()
    }

    /// A number of `range` for the field with that number.
    func pick(_ range: ClosedRange<Int64>, field: Int, perMachine: Bool) -> Int64 {
        let count = UInt64(range.upperBound - range.lowerBound + 1)
        let hash = Self.mix((perMachine ? machine : task) &+ UInt64(field))
        return range.lowerBound + Int64(hash.multipliedFullWidth(by: count).high)
    }
}
