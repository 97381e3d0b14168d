//: task com.example.injected.refresh app-refresh
//: run
//: ends com.example.injected.refresh completed
//: says refreshed by LiveRefresher
//: pending com.example.injected.refresh

import BackgroundTasks
import UIKit

protocol BackgroundTaskScheduling: AnyObject {
    @discardableResult
    func register(
        forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
        launchHandler: @escaping (BGTask) -> Void
    ) -> Bool
    func submit(_ taskRequest: BGTaskRequest) throws
    func cancel(taskRequestWithIdentifier identifier: String)
}

extension BGTaskScheduler: BackgroundTaskScheduling {}

protocol Refreshing: Sendable {
    func refresh() async throws
}

struct LiveRefresher: Refreshing {
    func refresh() async throws {
        print("refreshed by \(Self.self)")
    }
}

final class RefreshController {
    private let scheduler: any BackgroundTaskScheduling
    private let refresher: any Refreshing
    private let makeDate: () -> Date

    init(
        scheduler: any BackgroundTaskScheduling = BGTaskScheduler.shared, refresher: any Refreshing,
        makeDate: @escaping () -> Date = Date.init
    ) {
        self.scheduler = scheduler
        self.refresher = refresher
        self.makeDate = makeDate
    }

    func register() {
        scheduler.register(
            forTaskWithIdentifier: "com.example.injected.refresh", using: nil
        ) { [unowned self] task in
            schedule()
            let work = Task { [refresher] in
                do {
                    try await refresher.refresh()
                    task.setTaskCompleted(success: true)
                } catch {
                    task.setTaskCompleted(success: false)
                }
            }
            task.expirationHandler = { work.cancel() }
        }
    }

    func schedule() {
        scheduler.cancel(taskRequestWithIdentifier: "com.example.injected.refresh")
        let request = BGAppRefreshTaskRequest(identifier: "com.example.injected.refresh")
        request.earliestBeginDate = makeDate().addingTimeInterval(3600)
        try? scheduler.submit(request)
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private lazy var controller = RefreshController(refresher: LiveRefresher())

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        controller.register()
        return true
    }
}
