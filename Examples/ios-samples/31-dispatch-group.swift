//: task com.example.groupwork.sync processing
//: run
//: ends com.example.groupwork.sync completed
//: says 3 parts in order: contacts events notes

import BackgroundTasks
import UIKit

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let workQueue = DispatchQueue(
        label: "com.example.groupwork.sync", qos: .utility, attributes: .concurrent)

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.groupwork.sync", using: workQueue
        ) { [workQueue] task in
            let group = DispatchGroup()
            let lock = NSLock()
            var parts: [String] = []
            let semaphore = DispatchSemaphore(value: 2)

            for part in ["notes", "contacts", "events"] {
                group.enter()
                workQueue.async {
                    semaphore.wait()
                    defer {
                        semaphore.signal()
                        group.leave()
                    }
                    lock.lock()
                    parts.append(part)
                    lock.unlock()
                }
            }
            group.notify(queue: .main) {
                let names = parts.sorted().joined(separator: " ")
                print("\(parts.count) parts in order: \(names)")
                task.setTaskCompleted(success: true)
            }
        }
        return true
    }
}
//: swift 5
