// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import Synchronization
import UIKit

/// An app whose launch handler reads properties of the main actor on the queue that Apple gives it.
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

/// Reads the connected scenes, the delegate and the state repeatedly on another thread, as a timer in
/// Swift 5 code may do.
public final class SceneReader {
    private let application: UIApplication
    private let isStopped = Atomic<Bool>(false)

    public init(_ application: UIApplication) {
        self.application = application
    }

    /// Calls `found` with the number of scenes after the first and after the last reading.
    public func read(_ found: @escaping (Int) -> Void) {
        DispatchQueue.global().async {
            found(self.application.connectedScenes.count)
            while !self.isStopped.load(ordering: .acquiring) {
                _ = self.application.connectedScenes
                _ = self.application.delegate
                _ = self.application.applicationState
            }
            found(self.application.connectedScenes.count)
        }
    }

    public func stop() {
        isStopped.store(true, ordering: .releasing)
    }
}

final class SceneDelegate: UIResponder, UIWindowSceneDelegate {}
