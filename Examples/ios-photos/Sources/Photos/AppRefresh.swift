// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import Foundation

/// Imports new photos. Uses Swift concurrency: expiration cancels the Swift task.
func handleAppRefresh(task: BGAppRefreshTask) {
    BackgroundWork.scheduleAppRefresh()

    let work = Task {
        do {
            let count = try await importNewPhotos()
            print("imported \(count) photos")
            BackgroundWork.scheduleDatabaseCleaningIfNeeded()
            task.setTaskCompleted(success: true)
        } catch {
            print("refresh stopped: \(error)")
            task.setTaskCompleted(success: false)
        }
    }
    task.expirationHandler = {
        work.cancel()
    }
}

private func importNewPhotos() async throws -> Int {
    var count = 0
    for photo in try Library.shared.inbox() {
        try Task.checkCancellation()
        try Library.shared.add(photo)
        count += 1
        await Task.yield()
    }
    return count
}
