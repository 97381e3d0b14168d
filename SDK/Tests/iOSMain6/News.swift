// SPDX-License-Identifier: Apache-2.0

import BGRunIOS
import BackgroundTasks
import Combine
import UIKit

/// A UIKit app in a module whose declarations are isolated to the main actor by default.
public class NewsDelegate: UIResponder, UIApplicationDelegate {
    public nonisolated static let identifier = "com.example.news.refresh"
    public private(set) static var events: [String] = []

    let store = NewsStore()

    static func add(_ event: String) { events.append(event) }

    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.identifier, using: .main) {
            task in
            let work = Task {
                await self.store.refresh()
                NewsDelegate.add("refreshed \(self.store.titles.count)")
                task.setTaskCompleted(success: !Task.isCancelled)
            }
            task.expirationHandler = { work.cancel() }
        }
        return true
    }

    public func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        let configuration = UISceneConfiguration(
            name: "Default Configuration", sessionRole: connectingSceneSession.role)
        configuration.delegateClass = SceneDelegate.self
        return configuration
    }
}

class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {
        guard let windowScene = scene as? UIWindowScene else { return }
        let window = UIWindow(windowScene: windowScene)
        window.rootViewController = NewsController()
        self.window = window
        window.makeKeyAndVisible()
    }

    func sceneDidEnterBackground(_ scene: UIScene) {
        NewsDelegate.add("scene in the background")
        try? BGTaskScheduler.shared.submit(
            BGAppRefreshTaskRequest(identifier: NewsDelegate.identifier))
    }
}

final class NewsController: UIViewController {
    private let label = UILabel()
    private var cancellables: Set<AnyCancellable> = []

    override func viewDidLoad() {
        super.viewDidLoad()
        view.addSubview(label)
        view.addSubview(Badge())
        NewsStore().$titles.sink { [label] in label.text = $0.first }.store(in: &cancellables)
    }
}

final class Badge: UIView {
    var count = 0 {
        didSet { setNeedsLayout() }
    }

    override init(frame: CGRect) {
        super.init(frame: frame)
    }

    required init?(coder: NSCoder) {
        super.init(coder: coder)
    }
}

final class NewsCell: UITableViewCell {
    let badge = Badge()

    override init(style: UITableViewCell.CellStyle, reuseIdentifier: String?) {
        super.init(style: style, reuseIdentifier: reuseIdentifier)
        contentView.addSubview(badge)
    }

    required init?(coder: NSCoder) {
        super.init(coder: coder)
    }
}

final class NewsStore: ObservableObject {
    @Published private(set) var titles: [String] = []

    func refresh() async {
        titles = await NewsService().titles()
    }
}

nonisolated struct NewsService {
    func titles() async -> [String] { ["Storm", "Sun"] }
}
