//: task com.example.conditions.train processing
//: run
//: ends com.example.conditions.train completed
//: says trained with batches of 64

import BackgroundTasks
import Combine
import UIKit

@MainActor
final class PowerMonitor {
    private(set) var isThrottled = false
    private var cancellables = Set<AnyCancellable>()

    init() {
        NotificationCenter.default.publisher(for: .NSProcessInfoPowerStateDidChange)
            .merge(with: NotificationCenter.default.publisher(
                for: ProcessInfo.thermalStateDidChangeNotification))
            .receive(on: RunLoop.main)
            .sink { [weak self] _ in self?.update() }
            .store(in: &cancellables)
        update()
    }

    private func update() {
        let info = ProcessInfo.processInfo
        switch info.thermalState {
        case .nominal, .fair: isThrottled = info.isLowPowerModeEnabled
        case .serious, .critical: isThrottled = true
        @unknown default: isThrottled = true
        }
    }

    var batchSize: Int { isThrottled ? 8 : 64 }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    let monitor = PowerMonitor()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        switch application.backgroundRefreshStatus {
        case .available: break
        case .denied, .restricted: print("refresh is off")
        @unknown default: break
        }
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.conditions.train", using: nil
        ) { [monitor] task in
            Task { @MainActor in
                print("trained with batches of \(monitor.batchSize)")
                task.setTaskCompleted(success: true)
            }
        }
        return true
    }
}
