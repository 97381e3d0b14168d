// SPDX-License-Identifier: Apache-2.0

import Glibc

/// NUL-terminated strings for C, as a list with a final NULL. Owns the copies; the pointers are valid
/// as long as it lives.
package final class CStrings {
    package let pointers: [UnsafeMutablePointer<CChar>?]

    package init(orNull strings: [String?]) {
        pointers =
            strings.map { string in
                let copy = string.flatMap { strdup($0) }
                precondition(string == nil || copy != nil, "memory for a string is missing")
                return copy
            } + [nil]
    }

    package convenience init(_ strings: [String]) { self.init(orNull: strings) }

    /// The environment of this process.
    package static var environment: [String] {
        var lines: [String] = []
        var next = environ
        while let line = next.pointee {
            lines.append(String(cString: line))
            next += 1
        }
        return lines
    }

    deinit { for pointer in pointers { free(pointer) } }
}
