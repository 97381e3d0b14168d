// SPDX-License-Identifier: Apache-2.0

import BGRunManifest

extension FuzzTarget {
    /// Any JSON, and the place of the first syntax error.
    static let json = FuzzTarget("json", seeds: [SeedFiles("manifests", ".json")]) { bytes in
        if let fault = JSONSyntax.fault(in: bytes) {
            let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
            try hold((1...lines).contains(fault.line), "line \(fault.line) of \(lines)")
            try hold((1...bytes.count + 1).contains(fault.column), "column \(fault.column)")
            let length = fault.problem.utf8.count
            try hold(length < 200, "a message of \(length) bytes")
        }
        guard let value = JSONValue(bytes), let text = value.text else { return }
        try hold(JSONSyntax.fault(in: text.utf8) == nil, "written as \(text)")
        // 1e18 is a floating-point number at first, and an integer when it is read again.
        let again = JSONValue(text.utf8)?.text ?? ""
        try hold(JSONValue(again.utf8)?.text == again, "read again, \(again) is another value")
    }
}
