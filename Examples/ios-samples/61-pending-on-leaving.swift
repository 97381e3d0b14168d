//: task com.example.leaving.refresh app-refresh
//: run
//: ends com.example.leaving.refresh completed
//: says callback has the clean-up: true
//: says async has the clean-up: true
//: says block on the main queue
//: pending com.example.leaving.clean
//: task com.example.leaving.clean processing manual

import BackgroundTasks
import UIKit

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        for identifier in ["com.example.leaving.refresh", "com.example.leaving.clean"] {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { task in
                task.setTaskCompleted(success: true)
            }
        }
        return true
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        BGTaskScheduler.shared.getPendingTaskRequests { requests in
            guard !requests.contains(where: { $0.identifier.hasSuffix("clean") }) else { return }
            let request = BGProcessingTaskRequest(identifier: "com.example.leaving.clean")
            request.earliestBeginDate = Date(timeIntervalSinceNow: 86_400)
            try? BGTaskScheduler.shared.submit(request)
            BGTaskScheduler.shared.getPendingTaskRequests { requests in
                let isPending = requests.contains { $0.identifier.hasSuffix("clean") }
                print("callback has the clean-up: \(isPending)")
                Task { @MainActor in
                    let identifiers = await BGTaskScheduler.shared.pendingTaskRequests().map(\.identifier)
                    print("async has the clean-up: \(identifiers.contains("com.example.leaving.clean"))")
                }
            }
        }
        DispatchQueue.main.async { print("block on the main queue") }
    }
}
