// SPDX-License-Identifier: Apache-2.0

import BGRunFoundation
import Foundation
import QuartzCore
import Synchronization
import Testing
import UniformTypeIdentifiers

@Suite(.timeLimit(.minutes(1))) struct FoundationTests {
    private func withFile(_ text: String, _ body: (URL) async throws -> Void) async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(
            UUID().uuidString)
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await body(file)
    }

    @Test("A file is read as bytes, characters and lines")
    func bytes() async throws {
        try await withFile("é\r\n\n👩‍👩‍👧 e\u{301}\nlast") { file in
            let handle = try FileHandle(forReadingFrom: file)
            var lines: [String] = []
            for try await line in handle.bytes.lines { lines.append(line) }
            #expect(lines == ["é", "👩‍👩‍👧 e\u{301}", "last"])
            try handle.seek(toOffset: 0)
            var characters = ""
            for try await character in handle.bytes.characters { characters.append(character) }
            #expect(characters == "é\r\n\n👩‍👩‍👧 e\u{301}\nlast")
            #expect(characters.count == 11)
            try handle.seek(toOffset: 2)
            var first: [UInt8] = []
            for try await byte in handle.bytes.prefix(2) { first.append(byte) }
            #expect(first == [13, 10])
        }
    }

    @Test("Bytes of a pipe are read as they are written")
    func pipe() async throws {
        let pipe = Pipe()
        var lines = pipe.fileHandleForReading.bytes.lines.makeAsyncIterator()
        try pipe.fileHandleForWriting.write(contentsOf: Data("one\n".utf8))
        #expect(try await lines.next() == "one")
        try pipe.fileHandleForWriting.write(contentsOf: Data("two".utf8))
        try pipe.fileHandleForWriting.close()
        #expect(try await lines.next() == "two")
        #expect(try await lines.next() == nil)
    }

    @Test("A bookmark leads to its file, or to an error if the file is missing")
    func bookmarks() async throws {
        var isStale = true
        var bookmark = Data()
        try await withFile("text") { file in
            bookmark = try file.bookmarkData()
            let found = try URL(resolvingBookmarkData: bookmark, bookmarkDataIsStale: &isStale)
            #expect(try String(contentsOf: found, encoding: .utf8) == "text")
            #expect(!isStale)
            #expect(found.startAccessingSecurityScopedResource())
        }
        #expect(throws: CocoaError.self) {
            try URL(resolvingBookmarkData: bookmark, bookmarkDataIsStale: &isStale)
        }
        #expect(throws: CocoaError.self) {
            try URL(resolvingBookmarkData: Data([1]), bookmarkDataIsStale: &isStale)
        }
    }

    @Test("A file coordinator calls its accessor with the URL")
    func coordinator() {
        var error: NSError?
        var urls: [String] = []
        NSFileCoordinator().coordinate(
            writingItemAt: URL(fileURLWithPath: "/a"), options: .forReplacing, error: &error
        ) { urls.append($0.path) }
        NSFileCoordinator(filePresenter: nil).coordinate(
            readingItemAt: URL(fileURLWithPath: "/b"), error: nil
        ) { urls.append($0.path) }
        #expect(urls == ["/a", "/b"])
        #expect(error == nil)
    }

    @Test("A source of memory pressure calls its cancel handler, once")
    func memoryPressure() async {
        let (events, continuation) = AsyncStream<String>.makeStream()
        let source = DispatchSource.makeMemoryPressureSource(
            eventMask: [.warning, .critical], queue: DispatchQueue(label: "pressure"))
        source.setEventHandler { continuation.yield("pressure") }
        source.setCancelHandler {
            continuation.yield("cancelled")
            continuation.finish()
        }
        source.activate()
        source.cancel()
        source.cancel()
        #expect(source.isCancelled)
        var all: [String] = []
        for await event in events { all.append(event) }
        #expect(all == ["cancelled"])
    }

    @Test("Media time advances as the uptime does")
    func mediaTime() {
        let uptime = Double(DispatchTime.now().uptimeNanoseconds) / 1e9
        #expect(CACurrentMediaTime() >= uptime)
    }

    @Test("Numbers in the store of iCloud are read as numbers of any type")
    func numbers() {
        let store = NSUbiquitousKeyValueStore()
        let count: Int = 3
        store.set(count, forKey: "count")
        #expect(store.longLong(forKey: "count") == 3 && store.double(forKey: "count") == 3)
        #expect(store.object(forKey: "count") as? Int == 3)
        store.set(true, forKey: "flag")
        #expect(store.bool(forKey: "flag"))
        #expect(store.synchronize())
    }

    @Test("A type is found by its extension and MIME type, and conforms to those above it")
    func types() {
        #expect(UTType(filenameExtension: "JPG") == .jpeg)
        #expect(UTType(mimeType: "application/pdf") == .pdf)
        #expect(UTType(filenameExtension: "jpg", conformingTo: .audio)?.isDynamic == true)
        #expect(UTType(filenameExtension: "myext")?.preferredFilenameExtension == "myext")
        #expect(UTType(filenameExtension: "") == nil)
        #expect(UTType("public.png") == .png)
        #expect(UTType("com.example.unknown") == nil)
        #expect(UTType.png.preferredMIMEType == "image/png")
        #expect(UTType.jpeg.preferredFilenameExtension == "jpeg")
        #expect(UTType.mp3.conforms(to: .audio) && UTType.mp3.conforms(to: .data))
        #expect(!UTType.mp3.conforms(to: .image))
        #expect(!UTType.png.isSubtype(of: .png) && UTType.png.isSubtype(of: .image))
        let folder = URL(fileURLWithPath: "/tmp")
        #expect(
            folder.appendingPathComponent("a", conformingTo: .json).lastPathComponent == "a.json")
    }
}
