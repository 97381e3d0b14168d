//: task com.example.reach.sync processing
//: run
//: ends com.example.reach.sync completed
//: says satisfied, expensive: false

import BackgroundTasks
import Network
import UIKit

final class Reachability: Sendable {
    static let shared = Reachability()

    private let monitor = NWPathMonitor()
    private let queue = DispatchQueue(label: "com.example.reach.monitor")

    func start() {
        monitor.pathUpdateHandler = { path in
            guard path.status == .satisfied else { return }
            print("path changed, cellular: \(path.usesInterfaceType(.cellular))")
        }
        monitor.start(queue: queue)
    }

    var path: NWPath { monitor.currentPath }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        Reachability.shared.start()
        UIDevice.current.isBatteryMonitoringEnabled = true
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.reach.sync", using: .main
        ) { task in
            let path = Reachability.shared.path
            print("\(path.status), expensive: \(path.isExpensive)")
            task.setTaskCompleted(success: path.status == .satisfied)
        }
        return true
    }
}
