// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks

/// The weather data of the app.
actor Forecast {
    static let shared = Forecast()

    /// Waits for the report of the station until the time is revoked.
    func update() async -> String? {
        let report = FileManager.default.temporaryDirectory.appendingPathComponent("weather.txt")
        while !Task.isCancelled {
            if let weather = try? String(contentsOf: report, encoding: .utf8) { return weather }
            try? await Task.sleep(nanoseconds: 20_000_000)
        }
        return nil
    }
}

/// The user's photos.
enum Album {
    /// Processes photos in order until the time is revoked.
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
