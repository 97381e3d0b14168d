import BackgroundTasks
import UIKit

class AppDelegate: UIResponder, UIApplicationDelegate {
    let store = PhotoStore()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.photos.refresh", using: nil
        ) { task in
            self.handleRefresh(task: task as! BGAppRefreshTask)
        }
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.photos.cleanup", using: nil
        ) { [weak self] task in
            guard let self, let task = task as? BGProcessingTask else { return }  // expect: completion-on-every-path
            self.cleanUp(task)
        }
        return true
    }

    func handleRefresh(task: BGAppRefreshTask) {
        scheduleRefresh()
        let work = Task {
            do {
                try await store.refresh()
                task.setTaskCompleted(success: true)
            } catch {  // expect: completion-on-every-path
                print("refresh failed: \(error)")
            }
        }
        task.expirationHandler = { work.cancel() }
    }

    func cleanUp(_ task: BGProcessingTask) {
        let queue = OperationQueue()
        task.expirationHandler = { queue.cancelAllOperations() }
        guard store.needsCleanup else {
            return  // expect: completion-on-every-path
        }
        queue.addOperation {
            let removed = self.store.removeOldPhotos()
            if removed > 0 {  // expect: completion-on-every-path
                task.setTaskCompleted(success: true)
            }
        }
    }

    func scheduleRefresh() {
        let request = BGAppRefreshTaskRequest(identifier: "com.example.photos.refresh")
        request.earliestBeginDate = Date(timeIntervalSinceNow: 15 * 60)
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            print("Could not schedule app refresh: \(error)")
        }
    }
}
