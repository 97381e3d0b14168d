//: task com.example.manager.refresh app-refresh
//: task com.example.manager.sync processing
//: run
//: ends com.example.manager.refresh completed
//: ends com.example.manager.sync completed
//: says refresh finished with 3 items
//: says sync finished
//: pending com.example.manager.refresh

import BackgroundTasks
import Foundation
import UIKit

final class BackgroundTaskManager: Sendable {
    static let shared = BackgroundTaskManager()

    enum Identifier {
        static let refresh = "com.example.manager.refresh"
        static let sync = "com.example.manager.sync"
    }

    private init() {}

    func registerTasks() {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: Identifier.refresh, using: nil
        ) { [weak self] task in
            guard let self, let task = task as? BGAppRefreshTask else {
                task.setTaskCompleted(success: false)
                return
            }
            self.handle(task)
        }
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: Identifier.sync, using: nil
        ) { [weak self] task in
            guard let task = task as? BGProcessingTask else { return }
            self?.handle(task)
        }
    }

    func scheduleRefresh(after interval: TimeInterval = 30 * 60) {
        let request = BGAppRefreshTaskRequest(identifier: Identifier.refresh)
        request.earliestBeginDate = Date().addingTimeInterval(interval)
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch BGTaskScheduler.Error.tooManyPendingTaskRequests {
            print("too many pending requests")
        } catch BGTaskScheduler.Error.unavailable {
            print("background refresh is off")
        } catch {
            print("could not schedule: \(error.localizedDescription)")
        }
    }

    private func handle(_ task: BGAppRefreshTask) {
        scheduleRefresh()
        let work = Task {
            do {
                let items = try await fetchItems()
                print("refresh finished with \(items.count) items")
                task.setTaskCompleted(success: true)
            } catch {
                task.setTaskCompleted(success: false)
            }
        }
        task.expirationHandler = {
            work.cancel()
        }
    }

    private func handle(_ task: BGProcessingTask) {
        let work = Task.detached(priority: .background) {
            for _ in 0..<10 {
                try Task.checkCancellation()
                await Task.yield()
            }
            print("sync finished")
        }
        task.expirationHandler = { work.cancel() }
        Task {
            let result = await work.result
            if case .success = result {
                task.setTaskCompleted(success: true)
            } else {
                task.setTaskCompleted(success: false)
            }
        }
    }

    private func fetchItems() async throws -> [String] {
        try await Task.sleep(for: .milliseconds(1))
        return ["a", "b", "c"]
    }
}

@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        BackgroundTaskManager.shared.registerTasks()
        return true
    }
}
