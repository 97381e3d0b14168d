//: task com.example.pending.refresh app-refresh
//: task com.example.pending.clean processing manual
//: run
//: ends com.example.pending.refresh completed
//: says waiting: com.example.pending.clean
//: says left: 0

import BackgroundTasks
import UIKit

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        for identifier in ["com.example.pending.refresh", "com.example.pending.clean"] {
            let isRegistered = BGTaskScheduler.shared.register(
                forTaskWithIdentifier: identifier, using: nil
            ) { task in
                let work = Task {
                    await Self.inspect()
                    task.setTaskCompleted(success: true)
                }
                task.expirationHandler = { work.cancel() }
            }
            assert(isRegistered)
        }
        return true
    }

    nonisolated static func inspect() async {
        let scheduler = BGTaskScheduler.shared
        let request = BGProcessingTaskRequest(identifier: "com.example.pending.clean")
        request.earliestBeginDate = .now.addingTimeInterval(86_400)
        do {
            try scheduler.submit(request)
            try scheduler.submit(request)
        } catch {
            print("submit failed: \(error)")
        }
        let waiting = await scheduler.pendingTaskRequests()
            .map(\.identifier)
            .filter { $0.hasSuffix("clean") }
        print("waiting: \(waiting.joined(separator: ", "))")
        scheduler.cancel(taskRequestWithIdentifier: "com.example.pending.clean")
        let left = await withCheckedContinuation { continuation in
            scheduler.getPendingTaskRequests { requests in
                continuation.resume(
                    returning: requests.filter { $0.identifier.hasSuffix("clean") }.count)
            }
        }
        print("left: \(left)")
        scheduler.cancelAllTaskRequests()
    }
}
