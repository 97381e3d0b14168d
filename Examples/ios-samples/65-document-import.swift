//: task com.example.papers.import processing
//: run
//: ends com.example.papers.import completed
//: says csv is text/csv, conforms: true
//: says 3 lines
//: says coordinated 16 bytes
//: says bookmark names.csv, stale: false
//: says iCloud: false
//: says took

import BackgroundTasks
import CoreGraphics
import Foundation
import QuartzCore
import UIKit
import UniformTypeIdentifiers

final class DocumentImporter: @unchecked Sendable {
    private var pressure: DispatchSourceMemoryPressure?
    private let cache = NSCache<NSString, NSData>()

    init() {
        let source = DispatchSource.makeMemoryPressureSource(
            eventMask: [.warning, .critical], queue: .main)
        source.setEventHandler { [weak self] in
            self?.cache.removeAllObjects()
        }
        source.resume()
        pressure = source
    }

    deinit {
        pressure?.cancel()
    }

    func importFile(at url: URL) async throws {
        let start = CACurrentMediaTime()
        let isAccessing = url.startAccessingSecurityScopedResource()
        defer {
            if isAccessing { url.stopAccessingSecurityScopedResource() }
        }
        guard let type = UTType(filenameExtension: url.pathExtension) else {
            throw CocoaError(.fileReadUnknown)
        }
        print(
            "\(url.pathExtension) is \(type.preferredMIMEType ?? "unknown"),",
            "conforms: \(type.conforms(to: .text))")

        let handle = try FileHandle(forReadingFrom: url)
        var count = 0
        for try await _ in handle.bytes.lines { count += 1 }
        try handle.close()
        print("\(count) lines")

        let coordinator = NSFileCoordinator(filePresenter: nil)
        var coordinationError: NSError?
        coordinator.coordinate(readingItemAt: url, options: .withoutChanges, error: &coordinationError) {
            url in
            let size = (try? Data(contentsOf: url))?.count ?? 0
            print("coordinated \(size) bytes")
        }
        if let coordinationError { throw coordinationError }

        let bookmark = try url.bookmarkData(
            options: .minimalBookmark, includingResourceValuesForKeys: nil, relativeTo: nil)
        var isStale = false
        let resolved = try URL(resolvingBookmarkData: bookmark, bookmarkDataIsStale: &isStale)
        print("bookmark \(resolved.lastPathComponent), stale: \(isStale)")

        NSUbiquitousKeyValueStore.default.set(Int64(count), forKey: "lines")
        NSUbiquitousKeyValueStore.default.synchronize()
        print("iCloud: \(FileManager.default.ubiquityIdentityToken != nil)")
        let page = CGRect(x: 0, y: 0, width: 210, height: 297)
        print("took \(CACurrentMediaTime() - start) s for \(page.width) mm")
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.papers.import", using: nil
        ) { task in
            let work = Task {
                do {
                    let file = URL.temporaryDirectory.appending(path: "names.csv")
                    try Data("ada,1\nbob,2\neve,".utf8).write(to: file)
                    try await DocumentImporter().importFile(at: file)
                    task.setTaskCompleted(success: true)
                } catch {
                    print("import failed: \(error)")
                    task.setTaskCompleted(success: false)
                }
            }
            task.expirationHandler = { work.cancel() }
        }
        return true
    }
}
