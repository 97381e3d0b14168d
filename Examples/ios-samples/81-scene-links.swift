//: task com.example.links.refresh app-refresh
//: run
//: ends com.example.links.refresh completed
//: says route article 42, page 3
//: pending com.example.links.refresh

import BackgroundTasks
import UIKit

enum Route: Equatable {
    case home
    case article(id: Int, page: Int?)

    init?(url: URL) {
        guard let components = URLComponents(url: url, resolvingAgainstBaseURL: true),
            components.scheme == "links"
        else { return nil }
        switch (components.host, components.path.split(separator: "/").first.flatMap { Int($0) }) {
        case ("home", _): self = .home
        case ("article", let id?):
            let page = components.queryItems?.first { $0.name == "page" }?.value.flatMap(Int.init)
            self = .article(id: id, page: page)
        default: return nil
        }
    }
}

final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    static let activityType = "com.example.links.reading"
    var window: UIWindow?
    private var coordinator: Coordinator?

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {
        guard let windowScene = scene as? UIWindowScene else { return }
        let window = UIWindow(windowScene: windowScene)
        let coordinator = Coordinator()
        window.rootViewController = coordinator.tabs
        window.overrideUserInterfaceStyle = .unspecified
        window.makeKeyAndVisible()
        self.window = window
        self.coordinator = coordinator
        if let activity = connectionOptions.userActivities.first ?? session.stateRestorationActivity
        {
            self.scene(scene, continue: activity)
        }
        if let url = connectionOptions.urlContexts.first?.url, let route = Route(url: url) {
            coordinator.show(route)
        }
    }

    func sceneDidBecomeActive(_ scene: UIScene) {
        scene.userActivity?.becomeCurrent()
    }

    func sceneWillResignActive(_ scene: UIScene) {
        scene.userActivity?.resignCurrent()
    }

    func sceneDidEnterBackground(_ scene: UIScene) {
        (UIApplication.shared.delegate as? AppDelegate)?.scheduleRefresh()
    }

    func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? {
        let activity = NSUserActivity(activityType: Self.activityType)
        activity.title = "Reading"
        activity.isEligibleForHandoff = true
        activity.addUserInfoEntries(from: ["id": 42])
        return activity
    }

    func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) {
        guard let context = URLContexts.first, let route = Route(url: context.url) else { return }
        coordinator?.show(route)
    }

    func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
        if userActivity.activityType == NSUserActivityTypeBrowsingWeb,
            let url = userActivity.webpageURL
        {
            if let route = Route(url: url) { coordinator?.show(route) }
        } else if let id = userActivity.userInfo?["id"] as? Int {
            coordinator?.show(.article(id: id, page: nil))
        }
    }
}

@MainActor
final class Coordinator {
    let tabs = UITabBarController()
    private let home = UINavigationController(rootViewController: UIViewController())
    private let settings = UINavigationController(
        rootViewController: UITableViewController(style: .insetGrouped))

    init() {
        home.tabBarItem = UITabBarItem(
            title: "Home", image: UIImage(systemName: "house"), selectedImage: nil)
        settings.tabBarItem = UITabBarItem(
            title: "Settings", image: UIImage(systemName: "gear"), tag: 1)
        settings.tabBarItem.badgeValue = "1"
        home.navigationBar.prefersLargeTitles = true
        let appearance = UINavigationBarAppearance()
        appearance.configureWithOpaqueBackground()
        appearance.titleTextAttributes = [.foregroundColor: UIColor.label]
        home.navigationBar.standardAppearance = appearance
        home.navigationBar.scrollEdgeAppearance = appearance
        tabs.setViewControllers([home, settings], animated: false)
    }

    func show(_ route: Route) {
        tabs.selectedIndex = 0
        switch route {
        case .home: home.popToRootViewController(animated: true)
        case .article(let id, _):
            let controller = UIViewController()
            controller.navigationItem.title = "Article \(id)"
            controller.hidesBottomBarWhenPushed = true
            home.pushViewController(controller, animated: true)
        }
    }

    func showSettings() {
        tabs.selectedViewController = settings
    }
}

@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.links.refresh", using: .main
        ) { task in
            if case .article(let id, let page?)? = Route(
                url: URL(string: "links://article/42?page=3")!)
            {
                print("route article \(id), page \(page)")
            }
            MainActor.assumeIsolated { self.scheduleRefresh() }
            task.setTaskCompleted(success: true)
        }
        return true
    }

    func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        let configuration = UISceneConfiguration(name: nil, sessionRole: .windowApplication)
        configuration.delegateClass = SceneDelegate.self
        return configuration
    }

    func scheduleRefresh() {
        let request = BGAppRefreshTaskRequest(identifier: "com.example.links.refresh")
        request.earliestBeginDate = Date(timeIntervalSinceNow: 15 * 60)
        do { try BGTaskScheduler.shared.submit(request) } catch {
            print("Could not schedule: \(error)")
        }
    }
}
