// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import UIKit

/// The same in the Swift 6 language mode, where the compiler requires `await` for the main actor.
public actor StateSaver {
    public init() {}

    public func saveEssentialState() async -> UIApplication.State {
        let application = await UIApplication.shared
        let identifier = application.beginBackgroundTask(withName: "Save") {
            UIApplication.shared.registerForRemoteNotifications()
        }
        _ = application.backgroundTimeRemaining
        application.endBackgroundTask(identifier)
        _ = await application.backgroundRefreshStatus
        return await UIApplication.shared.applicationState
    }
}
