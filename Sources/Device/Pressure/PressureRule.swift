// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Whether the machine is contended: from the first share above its limit until every share is
/// under half of its limit.
enum PressureRule {
    /// Hundredths of a per cent of ten seconds. Our choice.
    static let limits = PressureSnapshot(processor: 8_000, memory: 1_000, disk: 3_000)

    static func isHigh(_ snapshot: PressureSnapshot?, before: Reading) -> Finding<Reading> {
        guard let snapshot else {
            return Finding(
                .unknown, from: PressureSnapshot.path, .unknown,
                because: "this kernel tells no pressure (CONFIG_PSI, psi=1)")
        }
        let shares = [
            ("processor", snapshot.processor, limits.processor),
            ("memory", snapshot.memory, limits.memory), ("disk", snapshot.disk, limits.disk),
        ]
        let scale = before == .yes ? 2 : 1
        if let (name, share, limit) = shares.first(where: { $0.1 * scale >= $0.2 }) {
            return Finding(
                .yes, from: PressureSnapshot.path, .measured,
                because: "work waits \(share / 100)% of the time for the \(name); "
                    + "\(limit / scale / 100)% is the limit")
        }
        let text = shares.map { "\($0.0) \($0.1 / 100)%" }.joined(separator: ", ")
        return Finding(
            .no, from: PressureSnapshot.path, .measured, because: "work hardly waits: \(text)")
    }
}
