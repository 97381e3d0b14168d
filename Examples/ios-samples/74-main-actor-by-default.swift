//: isolation main
//: task com.example.reader.refresh app-refresh manual
//: task com.example.reader.index processing manual
//: submit com.example.reader.refresh
//: submit com.example.reader.index
//: run
//: ends com.example.reader.refresh completed
//: says refreshed 2 articles
//: ends com.example.reader.index completed
//: says indexed 10

import BackgroundTasks
import Observation
import Synchronization
import UIKit
import UserNotifications

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    let center = UNUserNotificationCenter.current()
    let library = Library()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        center.delegate = self
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.reader.refresh", using: .main
        ) { task in
            let work = Task {
                do {
                    try await self.library.refresh()
                    print("refreshed \(self.library.articles.count) articles")
                    task.setTaskCompleted(success: true)
                } catch {
                    task.setTaskCompleted(success: false)
                }
            }
            task.expirationHandler = { work.cancel() }
        }
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.reader.index", using: .main
        ) { task in
            guard let task = task as? BGProcessingTask else { return }
            let work = Task { await self.index(task) }
            task.expirationHandler = { work.cancel() }
        }
        return true
    }

    func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        return UISceneConfiguration(
            name: "Default Configuration", sessionRole: connectingSceneSession.role)
    }

    private func index(_ task: BGProcessingTask) async {
        let counter = Counter()
        await withDiscardingTaskGroup { group in
            for number in 1...4 {
                group.addTask { counter.add(number) }
            }
        }
        print("indexed \(counter.total)")
        task.setTaskCompleted(success: !Task.isCancelled && counter.total == 10)
    }
}

extension AppDelegate: UNUserNotificationCenterDelegate {
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions {
        [.banner, .sound]
    }
}

class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {
        guard let windowScene = scene as? UIWindowScene else { return }
        window = UIWindow(windowScene: windowScene)
        window?.rootViewController = ViewController()
        window?.makeKeyAndVisible()
    }
}

class ViewController: UIViewController {
    let label = UILabel()

    override func viewDidLoad() {
        super.viewDidLoad()
        view.addSubview(label)
    }
}

final class ArticleCell: UITableViewCell {
    override init(style: UITableViewCell.CellStyle, reuseIdentifier: String?) {
        super.init(style: style, reuseIdentifier: reuseIdentifier)
    }

    required init?(coder: NSCoder) {
        fatalError("init(coder:) has not been implemented")
    }
}

@Observable
final class Library {
    var articles: [Article] = []

    func refresh() async throws {
        let fetched = try await ArticleService().fetch()
        articles = fetched.sorted { $0.title < $1.title }
    }
}

nonisolated struct Article: Codable, Identifiable, Hashable {
    let id: Int
    var title: String
}

nonisolated struct ArticleService {
    @concurrent func fetch() async throws -> [Article] {
        let json = #"[{"id": 1, "title": "Storm"}, {"id": 2, "title": "Calm"}]"#
        return try JSONDecoder().decode([Article].self, from: Data(json.utf8))
    }
}

nonisolated final class Counter: Sendable {
    private let value = Mutex(0)

    var total: Int { value.withLock { $0 } }

    func add(_ number: Int) {
        value.withLock { $0 += number }
    }
}
