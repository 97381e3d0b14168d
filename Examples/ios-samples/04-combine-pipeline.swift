//: task com.example.pipeline.refresh app-refresh
//: run
//: ends com.example.pipeline.refresh completed
//: says stored 2 articles: Alpha, Gamma

import BackgroundTasks
import Combine
import UIKit

struct Article: Codable, Equatable {
    let id: Int
    let title: String
    let isRead: Bool
}

enum FeedError: Error {
    case offline
    case decoding(Error)
}

final class FeedService {
    private let decoder = JSONDecoder()
    private var attempts = 0

    func load() -> AnyPublisher<Data, FeedError> {
        Deferred { [weak self] in
            Future<Data, FeedError> { promise in
                self?.attempts += 1
                guard let self, self.attempts > 1 else { return promise(.failure(.offline)) }
                let json = """
                    [{"id": 1, "title": "Alpha", "isRead": false},
                     {"id": 2, "title": "Beta", "isRead": true},
                     {"id": 3, "title": "Gamma", "isRead": false}]
                    """
                promise(.success(Data(json.utf8)))
            }
        }
        .eraseToAnyPublisher()
    }

    func unreadArticles() -> AnyPublisher<[Article], FeedError> {
        load()
            .retry(2)
            .flatMap { data in
                Just(data)
                    .decode(type: [Article].self, decoder: self.decoder)
                    .mapError { FeedError.decoding($0) }
            }
            .map { $0.filter { !$0.isRead } }
            .removeDuplicates()
            .handleEvents(receiveOutput: { print("received \($0.count)") })
            .eraseToAnyPublisher()
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let service = FeedService()
    private var cancellables = Set<AnyCancellable>()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.pipeline.refresh", using: .main
        ) { task in
            self.refresh(task as! BGAppRefreshTask)
        }
        return true
    }

    private func refresh(_ task: BGAppRefreshTask) {
        let subscription = service.unreadArticles()
            .receive(on: DispatchQueue.main)
            .sink { completion in
                switch completion {
                case .finished: task.setTaskCompleted(success: true)
                case .failure(let error):
                    print("failed: \(error)")
                    task.setTaskCompleted(success: false)
                }
            } receiveValue: { articles in
                let titles = articles.map(\.title).joined(separator: ", ")
                print("stored \(articles.count) articles: \(titles)")
            }
        subscription.store(in: &cancellables)
        task.expirationHandler = { subscription.cancel() }
    }
}
