//: task com.example.notes.refresh app-refresh
//: run
//: ends com.example.notes.refresh completed
//: says asks for time: true, at most 30 s: true
//: says saved 2 notes after leaving

import BackgroundTasks
import UIKit

final class NoteStore {
    private var notes = ["milk", "bread"]
    private let queue = DispatchQueue(label: "com.example.notes.save", qos: .utility)

    func save(completion: @escaping @Sendable (Int) -> Void) {
        let notes = self.notes
        queue.asyncAfter(deadline: .now() + 0.5) {
            let url = FileManager.default.temporaryDirectory.appendingPathComponent("notes.json")
            try? JSONEncoder().encode(notes).write(to: url, options: .atomic)
            completion(notes.count)
        }
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let store = NoteStore()
    private var backgroundTask = UIBackgroundTaskIdentifier.invalid

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.notes.refresh", using: nil
        ) { task in
            task.setTaskCompleted(success: true)
        }
        return true
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        backgroundTask = application.beginBackgroundTask(withName: "Save notes") { [weak self] in
            self?.endBackgroundTask()
        }
        let remaining = application.backgroundTimeRemaining
        print("asks for time: \(backgroundTask != .invalid), at most 30 s: \(remaining <= 30)")
        store.save { count in
            DispatchQueue.main.async { [weak self] in
                print("saved \(count) notes after leaving")
                self?.endBackgroundTask()
            }
        }
    }

    private func endBackgroundTask() {
        guard backgroundTask != .invalid else { return }
        UIApplication.shared.endBackgroundTask(backgroundTask)
        backgroundTask = .invalid
    }
}
