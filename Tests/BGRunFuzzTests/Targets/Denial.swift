// SPDX-License-Identifier: Apache-2.0

import BGRunConfinement

extension FuzzTarget {
    /// A line of a handler's output.
    static let denial = FuzzTarget("denial") { bytes in
        let line = String(decoding: bytes, as: UTF8.self)
        guard let denial = DenialLine(line) else { return }
        try hold(denial.path.utf8.first == UInt8(ascii: "/"), "\(denial.path) is not absolute")
        try hold(line.contains(denial.path), "\(denial.path) is not in the line")
    }
}
