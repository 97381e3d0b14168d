//: task com.example.drafts.refresh app-refresh
//: run
//: ends com.example.drafts.refresh completed
//: says draft saved

import BackgroundTasks
import UIKit

final class DraftStore {
    private var backgroundTask: UIBackgroundTaskIdentifier = .invalid
    private let queue = DispatchQueue(label: "com.example.drafts.store")

    func save(_ text: String, completion: @escaping () -> Void) {
        backgroundTask = UIApplication.shared.beginBackgroundTask(withName: "Save draft") { [weak self] in
            self?.endBackgroundTask()
        }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("draft.txt")
        queue.async {
            do {
                try Data(text.utf8).write(to: file, options: .atomic)
                print("draft saved")
            } catch {
                print("could not save: \(error)")
            }
            DispatchQueue.main.async {
                completion()
                self.endBackgroundTask()
            }
        }
    }

    private func endBackgroundTask() {
        guard backgroundTask != .invalid else { return }
        UIApplication.shared.endBackgroundTask(backgroundTask)
        backgroundTask = .invalid
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    let store = DraftStore()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.drafts.refresh", using: .main
        ) { task in
            self.store.save("Dear all") {
                print("remaining: \(UIApplication.shared.backgroundTimeRemaining > 0)")
            }
            // The assertion continues.
            task.setTaskCompleted(success: true)
        }
        return true
    }
}
//: swift 5
