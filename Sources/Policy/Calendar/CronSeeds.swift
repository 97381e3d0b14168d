// SPDX-License-Identifier: Apache-2.0

/// Spreads the jobs of many machines and tasks: the same numbers after each start.
package struct CronSeeds: Equatable, Sendable {
    /// From the machine and the task, for `~`.
    let machine: UInt64
    /// From the task alone, for `H`.
    let task: UInt64

    /// - Parameters:
    ///   - machine: Identifies the machine, for example the machine-id.
    ///   - identifier: The identifier of the task.
    package init(machine: String, identifier: String) {
        // The low bits of FNV-1a are poorly mixed.
        self.machine = Self.mix("\(machine)\n\(identifier)".fnv1a)
        task = Self.mix(identifier.fnv1a)
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        var random = SplitMix(seed: value)
        return random.next()
    }

    /// A number in `range` for the field with that index.
    func pick(_ range: ClosedRange<Int64>, field: Int, perMachine: Bool) -> Int64 {
        let count = UInt64(range.upperBound - range.lowerBound + 1)
        let hash = Self.mix((perMachine ? machine : task) &+ UInt64(field))
        return range.lowerBound + Int64(hash.multipliedFullWidth(by: count).high)
    }
}
