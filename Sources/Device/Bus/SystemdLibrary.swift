// SPDX-License-Identifier: Apache-2.0

import CSystemd

extension bgrun_systemd {
    /// The functions of libsystemd; nil if it is not installed. Only the first call loads it.
    static func load() -> bgrun_systemd? {
        withUnsafeTemporaryAllocation(of: bgrun_systemd.self, capacity: 1) { memory in
            guard let table = memory.baseAddress, bgrun_systemd_load(table) != 0 else { return nil }
            return table.pointee
        }
    }
}
