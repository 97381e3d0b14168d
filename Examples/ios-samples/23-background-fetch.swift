//: task com.example.fetch.fetch app-refresh
//: run
//: ends com.example.fetch.fetch completed
//: says fetched
//: pending com.example.fetch.fetch

import UIKit

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        application.setMinimumBackgroundFetchInterval(UIApplication.backgroundFetchIntervalMinimum + 3600)
        window = UIWindow(frame: UIScreen.main.bounds)
        window?.rootViewController = UINavigationController(rootViewController: ViewController())
        window?.makeKeyAndVisible()
        return true
    }

    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(5)) {
            print("fetched")
            completionHandler(.newData)
        }
    }
}

class ViewController: UIViewController {
    private let label = UILabel()

    override func viewDidLoad() {
        super.viewDidLoad()
        title = "Fetch"
        view.backgroundColor = .systemBackground
        view.addSubview(label)
        label.text = "Waiting"
    }
}
