// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The photos of the app: files in a directory. One that ends in `.deleted` waits for the cleanup.
final class Library: Sendable {
    static let shared = Library()

    private let root = FileManager.default.urls(
        for: .applicationSupportDirectory, in: .userDomainMask)[0].appendingPathComponent("Photos")

    /// Photos that were not imported yet.
    func inbox() throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: root.appendingPathComponent("Inbox"), includingPropertiesForKeys: nil)
    }

    func add(_ photo: URL) throws {
        let place = root.appendingPathComponent(photo.lastPathComponent)
        try FileManager.default.moveItem(at: photo, to: place)
    }

    var names: [String] {
        files.filter { $0.hasSuffix(".jpg") }
    }

    var deletedNames: [String] {
        files.filter { $0.hasSuffix(".deleted") }
    }

    var deletedCount: Int { deletedNames.count }

    func remove(_ name: String) {
        try? FileManager.default.removeItem(at: root.appendingPathComponent(name))
    }

    func export(_ name: String) throws {
        let exports = root.appendingPathComponent("Exports")
        try FileManager.default.createDirectory(at: exports, withIntermediateDirectories: true)
        let source = try FileHandle(forReadingFrom: root.appendingPathComponent(name))
        defer { try? source.close() }
        let photo = try source.readToEnd() ?? Data()
        try photo.write(to: exports.appendingPathComponent(name))
    }

    private var files: [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: root.path)
        return (names ?? []).sorted()
    }
}
