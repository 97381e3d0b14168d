// SPDX-License-Identifier: Apache-2.0

/// Access rights of Landlock (linux/landlock.h), each from a version of its ABI on. Only rights known here are
/// handled: a kernel with more of them does not deny more.
struct LandlockRights: OptionSet, Sendable {
    let rawValue: UInt64

    static let execute = Self(rawValue: 1 << 0)
    static let writeFile = Self(rawValue: 1 << 1)
    static let readFile = Self(rawValue: 1 << 2)
    static let readDirectory = Self(rawValue: 1 << 3)
    static let removeDirectory = Self(rawValue: 1 << 4)
    static let removeFile = Self(rawValue: 1 << 5)
    static let makeCharacterDevice = Self(rawValue: 1 << 6)
    static let makeDirectory = Self(rawValue: 1 << 7)
    static let makeFile = Self(rawValue: 1 << 8)
    static let makeSocket = Self(rawValue: 1 << 9)
    static let makeFifo = Self(rawValue: 1 << 10)
    static let makeBlockDevice = Self(rawValue: 1 << 11)
    static let makeLink = Self(rawValue: 1 << 12)
    /// Between directories (ABI 2).
    static let refer = Self(rawValue: 1 << 13)
    /// ABI 3.
    static let truncate = Self(rawValue: 1 << 14)
    /// ABI 5.
    static let controlDevice = Self(rawValue: 1 << 15)

    static let read: Self = [.execute, .readFile, .readDirectory]
    static let write: Self = [
        .read, .writeFile, .removeDirectory, .removeFile, .makeDirectory, .makeFile, .makeSocket,
        .makeFifo, .makeLink, .refer, .truncate, .controlDevice,
    ]
    /// Those that a rule for a file may have.
    static let ofFiles: Self = [.execute, .writeFile, .readFile, .truncate, .controlDevice]

    /// All rights that a kernel with this version of the ABI knows.
    static func handled(abi: Int) -> Self {
        let newest: Self =
            abi >= 5 ? .controlDevice : abi >= 3 ? .truncate : abi >= 2 ? .refer : .makeLink
        return Self(rawValue: newest.rawValue << 1 &- 1)
    }

    /// Rights of TCP ports, from ABI 4 on.
    static let bind: UInt64 = 1 << 0
    static let connect: UInt64 = 1 << 1
    /// Abstract UNIX sockets and signals of processes outside, from ABI 6 on.
    static let allScopes: UInt64 = 1 << 0 | 1 << 1
}
