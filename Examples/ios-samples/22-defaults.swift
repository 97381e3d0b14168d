//: task com.example.counter.refresh app-refresh
//: run
//: ends com.example.counter.refresh completed
//: says run number 1

import BackgroundTasks
import Foundation
import UIKit

@propertyWrapper
struct UserDefault<Value> {
    let key: String
    let defaultValue: Value
    var container: UserDefaults = .standard

    var wrappedValue: Value {
        get { container.object(forKey: key) as? Value ?? defaultValue }
        set { container.set(newValue, forKey: key) }
    }
}

enum Settings {
    static func make() -> UserDefaults {
        let defaults = UserDefaults(suiteName: "group.com.example.counter.\(UUID().uuidString)")!
        defaults.register(defaults: ["runs": 0, "isEnabled": true])
        return defaults
    }
}

final class RunCounter {
    @UserDefault var runs: Int

    init(_ defaults: UserDefaults) {
        _runs = UserDefault(key: "runs", defaultValue: 0, container: defaults)
    }

    func increment() -> Int {
        runs += 1
        return runs
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.counter.refresh", using: nil
        ) { task in
            let defaults = Settings.make()
            guard defaults.bool(forKey: "isEnabled") else {
                return task.setTaskCompleted(success: true)
            }
            print("run number \(RunCounter(defaults).increment())")
            task.setTaskCompleted(success: true)
        }
        return true
    }
}
