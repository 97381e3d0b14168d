//: task com.example.events.refresh app-refresh
//: run
//: ends com.example.events.refresh completed
//: says event 1
//: says event 2

import BackgroundTasks
import Foundation
import UIKit

extension Notification.Name {
    static let didImport = Notification.Name("com.example.events.didImport")
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private var observer: NSObjectProtocol?
    private var lifeCycle: Task<Void, Never>?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        lifeCycle = Task {
            for await _ in NotificationCenter.default.notifications(
                named: UIApplication.didEnterBackgroundNotification)
            {
                print("entered background")
            }
        }
        observer = NotificationCenter.default.addObserver(
            forName: UIApplication.willTerminateNotification, object: nil, queue: .main
        ) { _ in
            print("terminating")
        }
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.events.refresh", using: nil
        ) { task in
            let work = Task {
                await listen()
                task.setTaskCompleted(success: true)
            }
            task.expirationHandler = { work.cancel() }
        }
        return true
    }

    func applicationWillTerminate(_ application: UIApplication) {
        lifeCycle?.cancel()
    }
}

private func listen() async {
    var iterator = NotificationCenter.default.notifications(named: .didImport).makeAsyncIterator()
    NotificationCenter.default.post(name: .didImport, object: nil, userInfo: ["number": 1])
    NotificationCenter.default.post(name: .didImport, object: nil, userInfo: ["number": 2])
    for _ in 1...2 {
        guard let notification = await iterator.next() else { return }
        print("event \(notification.userInfo?["number"] as? Int ?? 0)")
    }
}
