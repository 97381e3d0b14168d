// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BGRunSupervisor

@Suite("The plugin file of a warm worker", .timeLimit(.minutes(5)))
struct LoadedFileTests {
    private let path =
        FileManager.default.temporaryDirectory.path + "/bgrun-file-\(UUID().uuidString)"

    private func write(_ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
    }

    @Test("has changed if it was replaced, written, removed or linked differently")
    func changes() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try write("one")
        let file = LoadedFile(path)
        #expect(file.isUnchanged)
        try write("two")
        #expect(!file.isUnchanged)
        let second = LoadedFile(path)
        let handle = try FileHandle(forWritingTo: URL(filePath: path))
        try handle.write(contentsOf: Data("longer".utf8))
        try handle.close()
        #expect(!second.isUnchanged)
        let third = LoadedFile(path)
        try FileManager.default.removeItem(atPath: path)
        #expect(!third.isUnchanged && !LoadedFile(path).isUnchanged)
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: "/proc/self/status")
        let link = LoadedFile(path)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/null")
        #expect(!link.isUnchanged)
    }

    @Test("is not checked for a worker without a plugin")
    func none() { #expect(LoadedFile(nil).isUnchanged) }
}
