//: task com.example.logger.refresh app-refresh
//: run
//: ends com.example.logger.refresh completed
//: logs Refresh of 3 feeds began, 0xff
//: logs user <private> has token <private>
//: logs ratio 0.33
//: logs could not reach feed.example.com
//: says subsystem com.example.logger

import BackgroundTasks
import os
import UIKit

extension Logger {
    static let subsystem = Bundle.main.bundleIdentifier ?? "missing"

    static let background = Logger(subsystem: subsystem, category: "background")
    static let network = Logger(subsystem: subsystem, category: "network")
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let signposter = OSSignposter(subsystem: "com.example.logger", category: .pointsOfInterest)

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.logger.refresh", using: .main
        ) { [signposter] task in
            let state = signposter.beginInterval("refresh", id: signposter.makeSignpostID())
            defer { signposter.endInterval("refresh", state) }
            print("subsystem \(Logger.subsystem)")
            let feeds = ["one", "two", "three"]
            Logger.background.info("Refresh of \(feeds.count) feeds began, 0x\(255, format: .hex)")
            Logger.background.info("user \("ada", privacy: .private) has token \("s3cret", privacy: .private(mask: .hash))")
            Logger.background.notice("ratio \(1.0 / 3.0, format: .fixed(precision: 2), privacy: .public)")
            let error = URLError(.cannotFindHost)
            Logger.network.error("could not reach \("feed.example.com", privacy: .public): \(error.localizedDescription)")
            Logger.background.log(level: .default, "done: \(task.identifier, align: .left(columns: 30))")
            task.setTaskCompleted(success: true)
        }
        return true
    }
}
