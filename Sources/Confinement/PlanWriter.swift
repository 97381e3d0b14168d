// SPDX-License-Identifier: Apache-2.0

import CBGRunPlan

/// Lays out a plan as bgrun_plan.h defines it.
struct PlanWriter {
    private var arrays: [UInt8] = []
    private var strings: [UInt8] = []

    mutating func text(_ text: String) -> UInt32 {
        defer { strings += Array(text.utf8) + [0] }
        return UInt32(clamping: strings.count)
    }

    /// Arrays begin at multiples of 8.
    mutating func add<Element>(_ elements: [Element]) -> bgrun_plan_part {
        elements.withUnsafeBytes { add(Array($0), count: elements.count) }
    }

    mutating func add(_ bytes: [UInt8], count: Int) -> bgrun_plan_part {
        let offset = MemoryLayout<bgrun_plan>.size + arrays.count
        arrays += bytes
        arrays += [UInt8](repeating: 0, count: (8 - arrays.count % 8) % 8)
        // fits: `bytes` refuses a plan over 256 KiB
        return bgrun_plan_part(offset: UInt32(clamping: offset), count: UInt32(clamping: count))
    }

    /// The whole plan; nil if it is larger than a plan may be.
    func bytes(_ header: bgrun_plan) -> [UInt8]? {
        var header = header
        let start = MemoryLayout<bgrun_plan>.size + arrays.count
        let size = start + strings.count
        guard size <= Int(BGRUN_PLAN_MOST_BYTES) else { return nil }
        header.magic = BGRUN_PLAN_MAGIC
        header.version = BGRUN_PLAN_VERSION
        header.size = UInt32(clamping: size)
        header.strings = bgrun_plan_part(
            offset: UInt32(clamping: start), count: UInt32(clamping: strings.count))
        return withUnsafeBytes(of: header) { Array($0) } + arrays + strings
    }
}
