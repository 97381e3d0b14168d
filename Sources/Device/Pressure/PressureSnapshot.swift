// SPDX-License-Identifier: Apache-2.0

/// The share of the last ten seconds in which work stalled (PSI, /proc/pressure), in hundredths of a
/// per cent.
struct PressureSnapshot: Equatable, Sendable {
    static let path = "/proc/pressure"

    /// Some tasks waited for a processor.
    var processor: Int
    /// Some tasks waited for memory.
    var memory: Int
    /// All tasks waited for a disk.
    var disk: Int
}

extension PressureSnapshot {
    /// Nil on a kernel without PSI, or with `psi=0`.
    init?(_ files: SystemFiles) {
        guard let processor = Self.share("some", files.text(Self.path + "/cpu")),
            let memory = Self.share("some", files.text(Self.path + "/memory")),
            let disk = Self.share("full", files.text(Self.path + "/io"))
        else { return nil }
        self.init(processor: processor, memory: memory, disk: disk)
    }

    /// The `avg10` of the line `some` or `full`: "some avg10=1.53 avg60=..." is 153.
    static func share(_ kind: String, _ text: String?) -> Int? {
        let line = text?.split(separator: "\n").first { $0.hasPrefix(kind + " ") }
        let field = line?.split(separator: " ").first { $0.hasPrefix("avg10=") }
        guard let parts = field?.dropFirst(6).split(separator: "."), parts.count == 2,
            let whole = Int(parts[0]), let hundredths = Int(parts[1])
        else { return nil }
        return (0...100).contains(whole) && (0..<100).contains(hundredths)
            ? whole * 100 + hundredths : nil
    }
}
