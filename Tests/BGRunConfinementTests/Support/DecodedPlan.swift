// SPDX-License-Identifier: Apache-2.0

import CBGRunPlan

/// A plan read as bgrun-init reads it.
struct DecodedPlan {
    let bytes: [UInt8]
    let header: bgrun_plan

    struct Mount: Equatable {
        var path: String
        var kind: UInt32
        var flags: UInt32
        var size: UInt64
        var target: String
    }

    struct Path: Equatable {
        var path: String
        var access: UInt64
    }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        header = bytes.withUnsafeBytes { $0.loadUnaligned(as: bgrun_plan.self) }
    }

    func text(_ offset: UInt32) -> String {
        let start = Int(header.strings.offset + offset)
        return String(decoding: bytes[start...].prefix { $0 != 0 }, as: UTF8.self)
    }

    private func array<Element>(_ part: bgrun_plan_part, of type: Element.Type) -> [Element] {
        bytes.withUnsafeBytes { bytes in
            (0..<Int(part.count)).map {
                bytes.loadUnaligned(
                    fromByteOffset: Int(part.offset) + $0 * MemoryLayout<Element>.stride, as: type)
            }
        }
    }

    var mounts: [Mount] {
        array(header.mounts, of: bgrun_plan_mount.self).map {
            Mount(
                path: text($0.path), kind: $0.kind, flags: $0.flags, size: $0.size,
                target: text($0.target))
        }
    }

    func mount(_ path: String) -> Mount? { mounts.first { $0.path == path } }

    var paths: [Path] {
        array(header.paths, of: bgrun_plan_path.self).map {
            Path(path: text($0.path), access: $0.access)
        }
    }

    var ports: [bgrun_plan_port] { array(header.ports, of: bgrun_plan_port.self) }

    /// By resource.
    var limits: [UInt32: UInt64] {
        Dictionary(
            array(header.limits, of: bgrun_plan_limit.self).map { ($0.resource, $0.value) },
            uniquingKeysWith: { first, _ in first })
    }
}
