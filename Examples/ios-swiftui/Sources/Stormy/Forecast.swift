// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks

/// What the app knows of the weather.
actor Forecast {
    static let shared = Forecast()
    private var latest = "unknown"

    func update() async -> String {
        latest = "stormy"
        return latest
    }
}

/// The photos people have taken.
enum Album {
    /// Tidies one photo after the other until time is revoked.
    static func tidy(during task: BGProcessingTask) {
        let work = Task {
            for photo in 1...3 where !Task.isCancelled {
                print("tidied photo \(photo)")
                await Task.yield()
            }
            task.setTaskCompleted(success: !Task.isCancelled)
        }
        task.expirationHandler = { work.cancel() }
    }
}
