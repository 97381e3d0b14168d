// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A system call and the errno value with which the filter answers it; nil: the kernel answers.
struct Call: Sendable, CustomStringConvertible {
    let name: String
    var arguments: [UInt64]
    let code: Int32?

    init(_ name: String, _ arguments: UInt64..., fails code: Int32?) {
        self.name = name
        self.arguments = arguments
        self.code = code
    }

    var description: String {
        "\(name)(\(arguments.map { "0x" + String($0, radix: 16) }.joined(separator: ", ")))"
    }

    /// For the probe; nil: this processor does not have the call.
    var word: String? {
        if ["fork", "ia32", "thread"].contains(name) { return name }
        guard let number = UInt32(name) ?? number(of: name) else { return nil }
        return ([UInt64(number)] + arguments).map(String.init).joined(separator: ":")
    }
}

/// How a call ended in the process with the filter.
struct Answer: Sendable {
    let result: Int
    /// What the kernel or the filter returned.
    let code: Int32
    let isOfFilter: Bool
}
