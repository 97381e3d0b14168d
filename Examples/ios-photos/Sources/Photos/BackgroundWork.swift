// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import Foundation

/// The app's background tasks. The identifiers are those of Info.plist, or of the manifest.
enum BackgroundWork {
    static let refresh = "com.example.photos.refresh"
    static let cleanup = "com.example.photos.cleanup"
    static let export = "com.example.photos.export"

    static func register() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: refresh, using: nil) { task in
            handleAppRefresh(task: task as! BGAppRefreshTask)
        }
        BGTaskScheduler.shared.register(forTaskWithIdentifier: cleanup, using: nil) { task in
            handleDatabaseCleaning(task: task as! BGProcessingTask)
        }
        BGTaskScheduler.shared.register(forTaskWithIdentifier: export, using: .main) { task in
            guard let task = task as? BGContinuedProcessingTask else { return }
            handleExport(task: task)
        }
    }

    static func scheduleAppRefresh() {
        let request = BGAppRefreshTaskRequest(identifier: refresh)
        request.earliestBeginDate = Date(timeIntervalSinceNow: 15 * 60)
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            print("Could not schedule app refresh: \(error)")
        }
    }

    static func scheduleDatabaseCleaningIfNeeded() {
        guard Library.shared.deletedCount > 0 else { return }
        let request = BGProcessingTaskRequest(identifier: cleanup)
        request.requiresNetworkConnectivity = false
        request.requiresExternalPower = true
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch BGTaskScheduler.Error.notPermitted {
            print("Could not schedule cleanup: Info.plist does not permit it")
        } catch {
            print("Could not schedule cleanup: \(error)")
        }
    }

    /// The action of the Export button.
    static func startExport() throws {
        let request = BGContinuedProcessingTaskRequest(
            identifier: export, title: "Exporting photos",
            subtitle: "0 of \(Library.shared.names.count) photos")
        request.strategy = .fail
        if BGTaskScheduler.supportedResources.contains(.gpu) {
            request.requiredResources = .gpu
        }
        try BGTaskScheduler.shared.submit(request)
    }
}
