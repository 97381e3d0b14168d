// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// The files of a machine below a temporary directory, which `deinit` removes.
package final class Tree {
    package let root: String

    package init(_ lines: [String] = []) throws {
        var template = Array("/tmp/bgrun-device-XXXXXX".utf8CString)
        guard let path = mkdtemp(&template) else { throw CocoaError(.fileWriteUnknown) }
        root = String(cString: path)
        for line in lines { try set(line) }
    }

    /// Reads `Fixtures/NAME.tree`: one `/path = text` per line; `|` in a text is a line break.
    package convenience init(named name: String) throws {
        let url = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Fixtures/\(name).tree")
        let text = try String(contentsOf: url, encoding: .utf8)
        try self.init(text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init))
    }

    deinit {
        try? FileManager.default.removeItem(atPath: root)
    }

    /// Writes the file of one line of a fixture, or creates a directory if its path ends in `/`.
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

    /// Tells a bgrun that uses this tree as BGRUN_DEVICE_ROOT that files have changed.
    package func announce() throws {
        try Data().write(to: URL(filePath: root + "/changed"))
    }
}
