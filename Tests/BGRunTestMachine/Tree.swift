// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A machine's files below a directory of its own, which goes with it.
package final class Tree {
    package let root: String

    package init(_ lines: [String] = []) throws {
        var template = Array("/tmp/bgrun-device-XXXXXX".utf8CString)
        guard let path = mkdtemp(&template) else { throw CocoaError(.fileWriteUnknown) }
        root = String(cString: path)
        for line in lines { try set(line) }
    }

    /// From `Fixtures/NAME.tree`: `/path = text`, one a line; `|` in a text is a line break.
    package convenience init(named name: String) throws {
        let url = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Fixtures/\(name).tree")
        let text = try String(contentsOf: url, encoding: .utf8)
        try self.init(text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init))
    }

    deinit {
        try? FileManager.default.removeItem(atPath: root)
    }

    /// Writes one file as a line of a fixture says, or makes a directory when its path ends in `/`.
    package func set(_ line: String) throws {
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let path = root + parts[0].trimmingCharacters(in: .whitespaces)
        let text = parts[1].trimmingCharacters(in: .whitespaces)
        let directory =
            path.hasSuffix("/") ? path : URL(filePath: path).deletingLastPathComponent().path
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        guard !path.hasSuffix("/") else { return }
        try (text.replacingOccurrences(of: "|", with: "\n") + "\n")
            .write(toFile: path, atomically: false, encoding: .utf8)
    }

    /// Removes one file.
    package func remove(_ path: String) throws {
        try FileManager.default.removeItem(atPath: root + path)
    }

    /// Tells a bgrun whose BGRUN_DEVICE_ROOT this is that files have changed.
    package func announce() throws {
        try Data().write(to: URL(filePath: root + "/changed"))
    }
}
