// SPDX-License-Identifier: Apache-2.0

/// The refusal of a plugin file: the first failed check, in the order of `Check`.
package struct PluginFileRefusal: Error, Equatable, Sendable {
    /// The checks, in their order.
    package enum Check: String, Sendable, CaseIterable {
        case exists
        case regularFile = "regular file"
        case readable
        case owner
        case mode
        case directories
        case elfHeader = "ELF header"
        case elfClass = "ELF class"
        case byteOrder = "byte order"
        case machine
        case type
        case complete
        case entrySymbol = "entry symbol"
        case sha256
    }

    package var check: Check
    /// The path as given.
    package var path: String
    var expected: String
    var found: String
    /// The remedy, in the imperative.
    package var remedy: String
    /// The errno of the failed system call; nil: the file itself is at fault.
    package var systemError: Int32?

    /// One line for people: the path, the check, expected, found and the remedy.
    package var message: String { "plugin \(path): \(reason); \(remedy)" }

    /// The check, expected and found, for messages that name the file and the remedy elsewhere.
    package var reason: String { "\(check.rawValue): expected \(expected), found \(found)" }
}

/// A failed check, without the path as given by the user.
struct FailedCheck: Error {
    var check: PluginFileRefusal.Check
    var expected: String
    var found: String
    var remedy: String
    var systemError: Int32?

    func refusal(of path: String) -> PluginFileRefusal {
        PluginFileRefusal(
            check: check, path: path, expected: expected, found: found, remedy: remedy,
            systemError: systemError)
    }
}
