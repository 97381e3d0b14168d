// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import UIKit

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let refresh = "com.example.podcasts.refresh"

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: refresh, using: .main) { task in
            self.scheduleRefresh()
            let work = Task {
                let isFetched = await DownloadManager.shared.downloadNewEpisodes() != nil
                task.setTaskCompleted(success: isFetched && !Task.isCancelled)
            }
            task.expirationHandler = { work.cancel() }
        }
        DownloadManager.shared.activate()
        return true
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        scheduleRefresh()
    }

    private func scheduleRefresh() {
        let request = BGAppRefreshTaskRequest(identifier: refresh)
        request.earliestBeginDate = Date(timeIntervalSinceNow: 60 * 60)
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            print("Could not schedule app refresh: \(error)")
        }
    }

    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        guard let title = userInfo["title"] as? String,
            let episode = (userInfo["episode"] as? String).flatMap(URL.init(string:))
        else { return completionHandler(.failed) }
        let isNew = DownloadManager.shared.download(episode, title: title)
        completionHandler(isNew ? .newData : .noData)
    }

    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        DownloadManager.shared.backgroundCompletionHandler = completionHandler
        DownloadManager.shared.activate()
    }
}
