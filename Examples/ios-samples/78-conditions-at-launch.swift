//: task com.example.thermos.measure processing
//: device low_power_mode: true, thermal: fair
//: stay
//: waits at launch: denied, low power true, heat 1
//: trigger com.example.thermos.measure
//: ends com.example.thermos.measure completed

import BackgroundTasks
import UIKit

/// The posted notifications. The values at launch are correct, so the first attempt changes nothing.
final class Posted: @unchecked Sendable {
    private let lock = NSLock()
    private var names: [String] = []

    func add(_ name: Notification.Name) { lock.withLock { names.append(name.rawValue) } }
    var isEmpty: Bool { lock.withLock { names.isEmpty } }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let changes = [
        UIApplication.backgroundRefreshStatusDidChangeNotification,
        .NSProcessInfoPowerStateDidChange, ProcessInfo.thermalStateDidChangeNotification,
    ]
    private var observers: [NSObjectProtocol] = []
    private let posted = Posted()

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
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
                [posted] _ in posted.add(name)
            }
        }
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.thermos.measure", using: nil
        ) { [posted] task in
            task.setTaskCompleted(success: posted.isEmpty)
        }
        return true
    }
}
