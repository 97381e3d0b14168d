import BackgroundTasks
import UIKit

func saveDraft(_ draft: Draft) {
    var identifier = UIBackgroundTaskIdentifier.invalid
    identifier = UIApplication.shared.beginBackgroundTask(withName: "draft") {
        UIApplication.shared.endBackgroundTask(identifier)
        identifier = .invalid
    }
    DispatchQueue.global().async {
        draft.save()
        UIApplication.shared.endBackgroundTask(identifier)
        identifier = .invalid
    }
}

/// Builds differ in what they say, not in what they do.
enum Registration {
    static func register() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.drafts", using: nil) {
            task in
            #if DEBUG
            print("launched \(task.identifier)")
            #endif
            handle(task)
        }
    }

    private static func handle(_ task: BGTask) {
        let cleaner = Cleaner()
        task.expirationHandler = cleaner.stop
        cleaner.clean { removed in
            print("removed \(removed)")
            task.setTaskCompleted(success: true)
        }
    }

    static func schedule(after interval: TimeInterval) {
        let request = BGProcessingTaskRequest(identifier: "com.example.drafts")
        request.earliestBeginDate = Date(timeIntervalSinceNow: interval)
        request.requiresExternalPower = true
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch BGTaskScheduler.Error.notPermitted {
            assertionFailure("com.example.drafts is not in Info.plist")
        } catch {
            print("could not schedule: \(error)")
        }
    }
}

final class Cleaner {
    private var isStopped = false

    func stop() { isStopped = true }

    func clean(completion: @escaping (Int) -> Void) {
        DispatchQueue.global(qos: .utility).async {
            var removed = 0
            for draft in Draft.old where !self.isStopped {
                draft.remove()
                removed += 1
            }
            completion(removed)
        }
    }
}

extension UIApplication {
    func beginBackgroundTask(_ name: String) -> UIBackgroundTaskIdentifier {
        beginBackgroundTask(withName: name, expirationHandler: nil)
    }
}
