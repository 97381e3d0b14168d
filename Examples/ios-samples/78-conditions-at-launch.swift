//: task com.example.thermos.measure processing
//: device low_power_mode: true, thermal: fair
//: stay
//: waits at launch: denied, low power true, heat 1
//: trigger com.example.thermos.measure
//: ends com.example.thermos.measure completed

import BackgroundTasks
import UIKit

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let changes = [
        UIApplication.backgroundRefreshStatusDidChangeNotification,
        .NSProcessInfoPowerStateDidChange, ProcessInfo.thermalStateDidChangeNotification,
    ]
    private var observers: [NSObjectProtocol] = []

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let process = ProcessInfo.processInfo
        let refresh = application.backgroundRefreshStatus == .denied ? "denied" : "not denied"
        print(
            "at launch: \(refresh), low power \(process.isLowPowerModeEnabled), "
                + "heat \(process.thermalState.rawValue)")
        observers = changes.map { name in
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
                print("changed: \(name.rawValue)")
            }
        }
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.thermos.measure", using: nil
        ) { task in
            task.setTaskCompleted(success: true)
        }
        return true
    }
}
