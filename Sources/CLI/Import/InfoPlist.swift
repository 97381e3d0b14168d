// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// The background work in an app's Info.plist.
struct InfoPlist {
    var bundleIdentifier: String?
    var permittedIdentifiers: [String]
    var backgroundModes: [String]
    /// The other keys, in alphabetical order.
    var otherKeys: [String]

    /// The reason why it cannot be read, and the remedy.
    struct Problem: Error {
        var message: String
        /// Whether the file does not exist.
        var isMissing = false
    }

    static let permittedKey = "BGTaskSchedulerPermittedIdentifiers"
    static let modesKey = "UIBackgroundModes"
    private static let bundleKey = "CFBundleIdentifier"
    /// The maximum size in bytes: real files are a hundredth of it.
    private static let largest = 1 << 20
    /// The parser recurses on this thread once per level.
    private static let deepest = 64

    /// Reads an XML or binary property list.
    init(path: String) throws(Problem) {
        let data = try Self.contents(path)
        guard Self.depth(of: data) <= Self.deepest else {
            throw Problem(message: "\(path) is nested more than \(Self.deepest) levels deep")
        }
        guard let value = PropertyList(data) else {
            throw Problem(
                message: "\(path) is not a property list; give the Info.plist of the sources, "
                    + "or of the built app (binary is fine)")
        }
        guard let root = value.dictionary else {
            throw Problem(message: "\(path) is not an Info.plist: it has no dictionary")
        }
        bundleIdentifier = root[Self.bundleKey]?.string
        permittedIdentifiers = try Self.strings(root, Self.permittedKey, path)
        backgroundModes = try Self.strings(root, Self.modesKey, path)
        let used = [Self.bundleKey, Self.permittedKey, Self.modesKey]
        otherKeys = root.keys.filter { !used.contains($0) }.sorted()
    }

    private static func strings(
        _ root: [String: PropertyList], _ key: String, _ path: String
    ) throws(Problem) -> [String] {
        guard let value = root[key] else { return [] }
        guard let strings = value.strings else {
            throw Problem(message: "\(path): \(key) is not an array of strings; write it as one")
        }
        return strings
    }

    private static func contents(_ path: String) throws(Problem) -> Data {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Problem(message: "\(path) is not a readable file", isMissing: true)
        }
        guard status.st_size <= largest else {
            throw Problem(message: "\(path) is larger than 1 MiB, the limit for an Info.plist")
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Problem(message: "\(path) is not a readable file", isMissing: true)
        }
        return data
    }

    /// The nesting depth of a file, or an upper bound.
    private static func depth(of data: Data) -> Int {
        if data.starts(with: Data("bplist".utf8)) {
            // Each level needs a separate object; the number of objects is stored near the end.
            let count = data.suffix(24).prefix(8).reduce(UInt64(0)) {
                $0 << 8 | UInt64(clamping: $1)
            }
            return count > 4_096 ? .max : 0
        }
        let isXML = data.first { $0 > 0x20 && $0 < 0x80 } == UInt8(ascii: "<")
        var depth = 0
        var deepest = 0
        var previous: UInt8 = 0
        // A file of UTF-16 has a zero beside each of these.
        for byte in data where byte != 0 {
            depth += isXML ? step(previous, byte) : bracket(byte)
            deepest = max(deepest, depth)
            previous = byte
        }
        return deepest
    }

    /// The change of depth by two bytes of XML: "<" opens; "</", "/>", "<!" and "<?" close.
    private static func step(_ previous: UInt8, _ byte: UInt8) -> Int {
        switch (previous, byte) {
        case (_, UInt8(ascii: "<")): 1
        case (UInt8(ascii: "<"), UInt8(ascii: "/")): -2
        case (UInt8(ascii: "/"), UInt8(ascii: ">")), (UInt8(ascii: "<"), UInt8(ascii: "!")),
            (UInt8(ascii: "<"), UInt8(ascii: "?")):
            -1
        default: 0
        }
    }

    private static func bracket(_ byte: UInt8) -> Int {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "("): 1
        case UInt8(ascii: "}"), UInt8(ascii: ")"): -1
        default: 0
        }
    }
}
