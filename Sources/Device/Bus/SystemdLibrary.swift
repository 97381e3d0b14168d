// SPDX-License-Identifier: Apache-2.0

import CSystemd

/// libsystemd, which is loaded only for a connection to a bus.
package enum SystemdLibrary {
    /// The library, or a function in it, is missing.
    struct Missing: Error {
        /// The dynamic loader's message.
        var message: String
    }

    /// Its functions. Only the first call loads it.
    static func load() throws(Missing) -> bgrun_systemd {
        let result = withUnsafeTemporaryAllocation(of: bgrun_systemd.self, capacity: 1) {
            memory -> Result<bgrun_systemd, Missing> in
            guard let table = memory.baseAddress else {
                return .failure(Missing(message: "out of memory"))
            }
            if let message = bgrun_systemd_load(table) {
                return .failure(Missing(message: String(cString: message)))
            }
            return .success(table.pointee)
        }
        return try result.get()
    }

    /// The reason why it cannot be loaded; nil if it can.
    package static var problem: String? {
        do {
            _ = try load()
            return nil
        } catch {
            return error.message
        }
    }
}
