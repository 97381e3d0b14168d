// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The memory of the machine, in KiB.
struct MemorySnapshot: Equatable, Sendable {
    static let path = "/proc/meminfo"

    var total: UInt64
    /// The memory that programs can get without swapping, as estimated by the kernel.
    var available: UInt64
}

extension MemorySnapshot {
    init?(_ files: SystemFiles) {
        let lines = files.text(Self.path)?.utf8.split(separator: UInt8(ascii: "\n")) ?? []
        guard let total = Self.number("MemTotal:", lines),
            let available = Self.number("MemAvailable:", lines)
        else { return nil }
        self.init(total: total, available: available)
    }

    /// The number of the line "MemTotal:   16303428 kB".
    private static func number(_ name: String, _ lines: [Substring.UTF8View]) -> UInt64? {
        let line = lines.first { $0.starts(with: name.utf8) }
        let words = line?.split(separator: UInt8(ascii: " ")) ?? []
        guard words.count == 3, words[2].elementsEqual("kB".utf8) else { return nil }
        return UInt64(Substring(words[1]))  // fits: text that does not is nil
    }
}

/// Whether available memory is low: under 10 % of the total, at most 1 GB. To end this state, twice as much
/// must be available, so that a task that was stopped for it does not start again at once.
enum MemoryRule {
    static let lowShare: UInt64 = 10
    /// KiB.
    static let lowSize: UInt64 = 1 << 20

    static func isLow(_ snapshot: MemorySnapshot?, before: Reading = .unknown) -> Finding<Reading> {
        let path = MemorySnapshot.path
        guard let snapshot, snapshot.total > 0 else {
            return Finding(
                .unknown, from: path, .unknown, because: "\(path) does not state the memory")
        }
        // fits: twice a constant at most
        let gate = min(snapshot.total / lowShare, lowSize) * (before == .yes ? 2 : 1)
        let isLow = snapshot.available < gate
        return Finding(
            isLow ? .yes : .no, from: path, .measured,
            because: "\(snapshot.available / 1_024) MiB are available, "
                + (isLow ? "under the gate of" : "the gate is") + " \(gate / 1_024) MiB")
    }
}
