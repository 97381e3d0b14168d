// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Glibc

/// A limit of its confinement that an attempt reached.
struct ReachedLimit: Equatable {
    var resource: LimitedResource
    /// What was used, and the key of the limit.
    var message: String

    /// The limit of which a worker died; nil if its confinement has none that the kernel enforces with this signal.
    init?(signal: Int32, _ confinement: Confinement?) {
        switch signal {
        case SIGXCPU:
            guard let time = confinement?.processorTime else { return nil }
            resource = .processorTime
            message = "\(time.text) used (confine.cpu.time)"
        case SIGXFSZ:
            guard let size = confinement?.fileSize else { return nil }
            resource = .fileSize
            let text = Self.text(size, in: Self.unit(of: size))
            message = "a file reached \(text) (confine.file_size)"
        default: return nil
        }
    }

    /// More memory was used than it may use.
    init(memory used: Int64, of limit: Int64) {
        let unit = Self.unit(of: limit)
        resource = .memory
        message =
            "\(Self.text(used, in: unit)) used of \(Self.text(limit, in: unit)) (confine.memory)"
    }

    private static let units: [(name: String, scale: Int64)] = [
        ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1),
    ]

    /// The largest unit in which the limit is a whole number.
    private static func unit(of limit: Int64) -> (name: String, scale: Int64) {
        units.first { limit % $0.scale == 0 } ?? ("B", 1)
    }

    /// Rounded up, so that it is more than a limit that it exceeds.
    private static func text(_ amount: Int64, in unit: (name: String, scale: Int64)) -> String {
        "\(amount.saturatingAdding(unit.scale - 1) / unit.scale) \(unit.name)"
    }
}
