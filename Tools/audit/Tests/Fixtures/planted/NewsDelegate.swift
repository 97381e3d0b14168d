// lists: com.example.news.refresh, com.example.news.cleanup
// modes: processing
import BackgroundTasks
import UIKit

/// An app delegate as tutorials have it, with most of the mistakes of its kind.
@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    static let refreshIdentifier = "com.example.news.Refresh"

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: AppDelegate.refreshIdentifier,  // expect: identifier-not-listed
            using: nil
        ) { task in
            self.handleAppRefresh(task: task as! BGAppRefreshTask)
        }
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.news.cleanup", using: DispatchQueue.main  // expect: work-on-main-queue
        ) { task in
            self.handleCleanup(task: task as! BGProcessingTask)
        }
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.news.cleanup", using: nil) { task in  // expect: registered-twice
            self.handleCleanup(task: task as! BGProcessingTask)
        }
        DispatchQueue.main.async {
            BGTaskScheduler.shared.register(  // expect: registered-late
                forTaskWithIdentifier: "com.example.news.export",  // expect: identifier-not-listed
                using: nil, launchHandler: self.handleExport)
        }
        return true
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        scheduleAppRefresh()
        scheduleCleanup()
        scheduleUpload()
    }

    func scheduleAppRefresh() {
        let request = BGAppRefreshTaskRequest(  // expect: mode-missing
            identifier: Self.refreshIdentifier)  // expect: identifier-not-listed
        request.earliestBeginDate = Date(timeIntervalSinceNow: 60)  // expect: earliest-under-15-minutes
        try? BGTaskScheduler.shared.submit(request)  // expect: submit-error-ignored
    }

    func scheduleCleanup() {
        let request = BGProcessingTaskRequest(identifier: "com.example.news.cleanup")
        request.earliestBeginDate = Date().addingTimeInterval(14 * 24 * 60 * 60)  // expect: earliest-beyond-a-week
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {}  // expect: submit-error-ignored
    }

    func scheduleUpload() {
        let request = BGProcessingTaskRequest(  // expect: no-handler-registered
            identifier: "com.example.news.upload")  // expect: identifier-not-listed
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            print("Could not schedule: \(error)")
        }
    }

    func handleAppRefresh(task: BGAppRefreshTask) {  // expect: not-rescheduled, expiration-handler-missing
        Feed.shared.fetch { result in
            task.setTaskCompleted(success: result.isSuccess)
        }
    }

    func handleCleanup(task: BGProcessingTask) {
        task.expirationHandler = {  // expect: expiration-does-not-cancel
            print("time is over")
            task.setTaskCompleted(success: true)  // expect: success-at-expiry
        }
        for article in Database.shared.oldArticles {  // expect: loop-ignores-cancellation
            Database.shared.delete(article)
        }
        task.setTaskCompleted(success: true)
    }

    func handleExport(task: BGTask) {
        task.expirationHandler = { Exporter.shared.cancel() }
        Exporter.shared.export { ok in
            task.setTaskCompleted(success: ok)
        }
        task.setTaskCompleted(success: true)  // expect: completed-twice
    }
}
