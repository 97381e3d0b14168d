// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import UIKit

/// An app whose launch handler, on the queue that Apple gives it, reads what belongs to the main actor.
public final class ReadingDelegate: UIResponder, UIApplicationDelegate {
    nonisolated public static let identifier = "com.example.reading"
    /// The battery level and the number of connected scenes.
    nonisolated(unsafe) public static var found: (Float, Int)?

    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: Self.identifier, using: nil
        ) { task in
            Self.found = (
                UIDevice.current.batteryLevel, UIApplication.shared.connectedScenes.count
            )
            task.setTaskCompleted(success: true)
        }
        return true
    }
}

final class SceneDelegate: UIResponder, UIWindowSceneDelegate {}
