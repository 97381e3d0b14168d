//: task com.example.meter.measure processing
//: stay
//: waits at launch: available, low power false
//: refresh off
//: waits refresh status: denied, low power false
//: refresh on
//: waits refresh status: available, low power false
//: device low_power_mode: true
//: waits power state: low power true
//: waits refresh status: denied, low power true
//: device low_power_mode: true, thermal: serious
//: waits thermal state: serious
//: ends com.example.meter.measure completed

import BackgroundTasks
import UIKit

func conditions(_ status: UIBackgroundRefreshStatus) -> String {
    let refresh: String
    switch status {
    case .available: refresh = "available"
    case .denied: refresh = "denied"
    case .restricted: refresh = "restricted"
    @unknown default: refresh = "unknown"
    }
    return "\(refresh), low power \(ProcessInfo.processInfo.isLowPowerModeEnabled)"
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.meter.measure", using: nil
        ) { task in
            task.expirationHandler = { task.setTaskCompleted(success: false) }
            let center = NotificationCenter.default
            _ = center.addObserver(
                forName: .NSProcessInfoPowerStateDidChange, object: nil, queue: nil
            ) { _ in
                print("power state: low power \(ProcessInfo.processInfo.isLowPowerModeEnabled)")
            }
            _ = center.addObserver(
                forName: UIApplication.backgroundRefreshStatusDidChangeNotification, object: nil,
                queue: nil
            ) { _ in
                Task { @MainActor in
                    print("refresh status: \(conditions(UIApplication.shared.backgroundRefreshStatus))")
                }
            }
            _ = center.addObserver(
                forName: ProcessInfo.thermalStateDidChangeNotification, object: nil, queue: nil
            ) { _ in
                guard ProcessInfo.processInfo.thermalState == .serious else { return }
                print("thermal state: serious")
                task.setTaskCompleted(success: true)
            }
            Task { @MainActor in
                print("at launch: \(conditions(UIApplication.shared.backgroundRefreshStatus))")
            }
        }
        return true
    }
}
