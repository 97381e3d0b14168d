// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import Glibc

/// A system call that failed.
package struct SystemFailure: Error, Equatable, CustomStringConvertible {
    var call: String
    package var code: Int32

    package init(_ call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// `call: message of the system`, and the remedy for a limit.
    package var description: String {
        "\(call): \(String(cString: strerror(code)))"
            + (code == EMFILE ? "; \(descriptorRemedy)" : "")
    }

    /// `result`, or the failure in `errno` if `result` is negative.
    @discardableResult
    package static func check(_ call: String, _ result: Int32) throws(SystemFailure) -> Int32 {
        guard result >= 0 else { throw SystemFailure(call, code: errno) }
        return result
    }
}
