// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Why libseccomp could not build a filter.
package struct SyscallFilterFailure: Error, CustomStringConvertible {
    let step: String
    /// The errno value; nil: libseccomp does not know a system call.
    let code: Int32?

    package var description: String {
        let reason = code.map { String(cString: strerror($0)) } ?? "unknown to libseccomp"
        return "the filter of system calls cannot be built: \(step): \(reason)"
    }
}
