//: task com.example.photosync.upload processing manual
//: submit com.example.photosync.upload
//: run
//: ends com.example.photosync.upload completed
//: says uploaded 4 photos, 0 left

import BackgroundTasks
import UIKit

struct Photo: Codable, Sendable {
    let name: String
    var isUploaded = false
}

actor PhotoLibrary {
    private var photos: [Photo]
    private let file: URL

    init(file: URL) {
        self.file = file
        if let data = try? Data(contentsOf: file),
            let stored = try? JSONDecoder().decode([Photo].self, from: data) {
            photos = stored
        } else {
            photos = (1...4).map { Photo(name: "IMG_\($0).HEIC") }
        }
    }

    var pending: [Photo] { photos.filter { !$0.isUploaded } }

    func markUploaded(_ name: String) throws {
        guard let index = photos.firstIndex(where: { $0.name == name }) else { return }
        photos[index].isUploaded = true
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(photos).write(to: file, options: [.atomic])
    }
}

enum PhotoSync {
    static let identifier = "com.example.photosync.upload"

    static func run(_ library: PhotoLibrary) async throws -> Int {
        var count = 0
        for photo in await library.pending {
            try Task.checkCancellation()
            try await library.markUploaded(photo.name)
            count += 1
        }
        return count
    }
}

@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: PhotoSync.identifier, using: nil
        ) { task in
            let directory = FileManager.default.temporaryDirectory
            let library = PhotoLibrary(file: directory.appending(path: "photos-\(UUID()).json"))
            let work = Task(priority: .utility) {
                do {
                    let count = try await PhotoSync.run(library)
                    print("uploaded \(count) photos, \(await library.pending.count) left")
                    task.setTaskCompleted(success: true)
                } catch {
                    task.setTaskCompleted(success: false)
                }
            }
            task.expirationHandler = work.cancel
        }
        return true
    }
}
