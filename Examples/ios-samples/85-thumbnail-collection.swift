//: task com.example.loader.refresh app-refresh
//: run
//: ends com.example.loader.refresh completed
//: says loaded 3 thumbnails, 1 request for a

import BackgroundTasks
import UIKit

// After "Protect mutable state with Swift actors" and "Explore structured concurrency", WWDC 2021.

actor ThumbnailLoader {
    private enum Entry {
        case inProgress(Task<Data, any Error>)
        case ready(Data)
    }

    private var cache: [String: Entry] = [:]
    private(set) var requests: [String: Int] = [:]

    func thumbnail(for id: String) async throws -> Data {
        if let entry = cache[id] {
            switch entry {
            case .ready(let data): return data
            case .inProgress(let task): return try await task.value
            }
        }
        requests[id, default: 0] += 1
        let task = Task(priority: .utility) { try await Self.download(id) }
        cache[id] = .inProgress(task)
        do {
            let data = try await task.value
            cache[id] = .ready(data)
            return data
        } catch {
            cache[id] = nil
            throw error
        }
    }

    private static func download(_ id: String) async throws -> Data {
        try await Task.sleep(nanoseconds: 20_000_000)
        try Task.checkCancellation()
        return Data(id.utf8)
    }
}

final class ThumbnailsViewController: UICollectionViewController {
    private let loader = ThumbnailLoader()
    private var tasks: [IndexPath: Task<Void, Never>] = [:]

    override func collectionView(
        _ collectionView: UICollectionView, numberOfItemsInSection section: Int
    ) -> Int { 3 }

    override func collectionView(
        _ collectionView: UICollectionView, willDisplay cell: UICollectionViewCell,
        forItemAt indexPath: IndexPath
    ) {
        tasks[indexPath] = Task { [loader] in
            guard let data = try? await loader.thumbnail(for: "a") else { return }
            let image = await UIImage(data: data)?.byPreparingThumbnail(
                ofSize: CGSize(width: 40, height: 40))
            cell.contentConfiguration = {
                var content = UIListContentConfiguration.cell()
                content.image = image
                return content
            }()
        }
    }

    override func collectionView(
        _ collectionView: UICollectionView, didEndDisplaying cell: UICollectionViewCell,
        forItemAt indexPath: IndexPath
    ) {
        tasks.removeValue(forKey: indexPath)?.cancel()
    }
}

@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.loader.refresh", using: nil
        ) { task in
            let work = Task {
                await Self.refresh()
                task.setTaskCompleted(success: !Task.isCancelled)
            }
            task.expirationHandler = { work.cancel() }
        }
        return true
    }

    nonisolated static func refresh() async {
        let loader = ThumbnailLoader()
        async let again = loader.thumbnail(for: "a")
        let thumbnails = try? await withThrowingTaskGroup(
            of: (String, Data).self, returning: [String: Data].self
        ) { group in
            for id in ["a", "b", "c"] {
                group.addTask { (id, try await loader.thumbnail(for: id)) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        _ = try? await again
        let count = await loader.requests["a"] ?? 0
        print("loaded \(thumbnails?.count ?? 0) thumbnails, \(count) request for a")
    }
}
