// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import UIKit

/// Code of an app that saves its state, as in tutorials for Swift 5: the completion handler of the
/// save runs on another thread, and uses the application there.
public final class StateSaver {
    private var backgroundTaskID: UIBackgroundTaskIdentifier = .invalid

    public init() {}

    /// Calls `completion` on the thread that saved.
    public func saveEssentialState(completion: @escaping (UIApplication.State) -> Void) {
        DispatchQueue.global().async {
            self.backgroundTaskID = UIApplication.shared.beginBackgroundTask(withName: "Save") {
                UIApplication.shared.endBackgroundTask(self.backgroundTaskID)
                self.backgroundTaskID = .invalid
            }
            UIApplication.shared.endBackgroundTask(self.backgroundTaskID)
            self.backgroundTaskID = .invalid
            _ = UIApplication.shared.backgroundRefreshStatus
            _ = UIApplication.shared.backgroundTimeRemaining
            _ = UIApplication.shared.delegate
            UIApplication.shared.registerForRemoteNotifications()
            completion(UIApplication.shared.applicationState)
        }
    }
}

/// A helper that derives from UIResponder and is created and used on any thread.
public final class Chain: UIResponder {
    public var links = 0

    public func grow() -> Int {
        links += 1
        return links
    }
}

public func chainOfThisThread() -> Int { Chain().grow() }
