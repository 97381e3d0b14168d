// SPDX-License-Identifier: Apache-2.0

/// The paths of a confined handler's transfers. The transfer service, which is not confined, opens them later.
package enum PlaceRule {
    /// What the app's author can do about a refusal.
    package static let remedy = "use a path within BGRUN_APP_HOME, or none"

    /// The names on the way from `directory` to `path`; nil: it is not below it, as far as the text shows. Compares
    /// bytes: for Swift, a slash before a combining character is not a slash. Links are not resolved.
    package static func names(of path: String, below directory: String) -> [String]? {
        var directory = directory.utf8[...]
        while directory.last == slash { directory.removeLast() }
        guard !directory.isEmpty, path.utf8.starts(with: directory) else { return nil }
        let rest = path.utf8.dropFirst(directory.count)
        // A path ends before a NUL for the kernel.
        guard rest.first == slash, rest.last != slash, !rest.contains(0) else { return nil }
        let names = rest.split(separator: slash).filter { !$0.elementsEqual(".".utf8) }
        guard !names.isEmpty, !names.contains(where: { $0.elementsEqual("..".utf8) }) else {
            return nil
        }
        return names.map { String(decoding: $0, as: UTF8.self) }
    }

    private static let slash = UInt8(ascii: "/")
}
