// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A count on the command line. The command refuses one that is negative.
enum CountArgument {
    @Sendable
    static func parse(_ text: String) throws -> Int {
        guard let count = Int(text) else {
            throw ValidationError("\"\(text)\" is not a count; write a number, such as 20")
        }
        return count
    }
}
