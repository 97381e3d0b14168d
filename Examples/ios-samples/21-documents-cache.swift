//: task com.example.cache.refresh app-refresh
//: run
//: ends com.example.cache.refresh completed
//: says cached: 2 entries
//: says /state/com.example.cache/home/Library/Caches/com.example.cache-

import BackgroundTasks
import SwiftUI

struct Entry: Codable {
    var key: String
    var created: Date
}

struct DiskCache {
    let directory: URL

    init(name: String) throws {
        let base = try FileManager.default.url(
            for: .cachesDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
        directory = base.appendingPathComponent(name, isDirectory: true)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    private var file: URL { directory.appendingPathComponent("entries.plist") }

    func load() throws -> [Entry] {
        guard FileManager.default.fileExists(atPath: file.path) else { return [] }
        return try PropertyListDecoder().decode([Entry].self, from: Data(contentsOf: file))
    }

    func save(_ entries: [Entry]) throws {
        try PropertyListEncoder().encode(entries).write(to: file, options: .atomic)
    }
}

@main
struct CacheApp: App {
    var body: some Scene {
        WindowGroup { EmptyView() }
            .backgroundTask(.appRefresh("com.example.cache.refresh")) {
                do {
                    let cache = try DiskCache(name: "com.example.cache-\(ProcessInfo.processInfo.processIdentifier)")
                    defer { try? FileManager.default.removeItem(at: cache.directory) }
                    var entries = try cache.load()
                    entries += ["a", "b"].map { Entry(key: $0, created: .now) }
                    try cache.save(entries)
                    print("cached: \(try cache.load().count) entries in \(cache.directory.path)")
                } catch {
                    print("cache failed: \(error)")
                }
            }
    }
}
