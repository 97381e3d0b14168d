// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: NeverForceUnwrap

// Typical code of iOS apps, which uses only Apple's names. It is compiled for Swift 5 and for
// Swift 6, and must need no change for either.

import BackgroundTasks

@MainActor
final class AppController {
    static let shared = AppController()

    private(set) var refreshCount = 0
    private let operations = OperationQueue()

    func registerTasks() {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.refresh", using: .main
        ) { [weak self] task in
            guard let refresh = task as? BGAppRefreshTask else { return }
            self?.handleAppRefresh(task: refresh)
        }
        let isRegistered = BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.cleanup",
            using: DispatchQueue(label: "cleanup"),
            launchHandler: { handleCleanup(task: $0 as! BGProcessingTask) })
        if !isRegistered { print("com.example.cleanup is not in Info.plist") }
        if #available(iOS 26.0, *) {
            BGTaskScheduler.shared.register(
                forTaskWithIdentifier: "com.example.export", using: nil, launchHandler: handleExport
            )
        }
    }

    private func handleAppRefresh(task: BGAppRefreshTask) {
        scheduleAppRefresh()
        let work = Task {
            do {
                try await self.refresh()
                task.setTaskCompleted(success: !Task.isCancelled)
            } catch {
                task.setTaskCompleted(success: false)
            }
        }
        task.expirationHandler = { work.cancel() }
    }

    private func refresh() async throws {
        try Task.checkCancellation()
        refreshCount += 1
    }

    func scheduleAppRefresh() {
        let request = BGAppRefreshTaskRequest(identifier: "com.example.refresh")
        request.earliestBeginDate = Date(timeIntervalSinceNow: 15 * 60)
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch let error as BGTaskScheduler.Error where error.code == .unavailable {
            print("Background refresh is off")
        } catch BGTaskScheduler.Error.tooManyPendingTaskRequests {
            print("Too many requests")
        } catch {
            print("Could not schedule app refresh: \(error.localizedDescription)")
        }
    }

    func showPending() async -> [String] {
        await BGTaskScheduler.shared.pendingTaskRequests().map(\.identifier)
    }

    func scheduleCleanupUnlessPending() {
        BGTaskScheduler.shared.getPendingTaskRequests { requests in
            guard !requests.contains(where: { $0.identifier == "com.example.cleanup" }) else {
                return
            }
            let request = BGProcessingTaskRequest(identifier: "com.example.cleanup")
            request.requiresNetworkConnectivity = true
            request.requiresExternalPower = true
            try? BGTaskScheduler.shared.submit(request)
        }
    }

    func stop() {
        BGTaskScheduler.shared.cancel(taskRequestWithIdentifier: "com.example.refresh")
        BGTaskScheduler.shared.cancelAllTaskRequests()
    }
}

func handleCleanup(task: BGProcessingTask) {
    let queue = OperationQueue()
    let operation = BlockOperation {}
    task.expirationHandler = { queue.cancelAllOperations() }
    operation.completionBlock = { task.setTaskCompleted(success: !operation.isCancelled) }
    queue.addOperation(operation)
}

@Sendable func handleExport(task: BGTask) {
    guard let task = task as? BGContinuedProcessingTask else { return }
    var shouldContinue = true
    task.expirationHandler = { shouldContinue = false }
    task.progress.totalUnitCount = 100
    for index in 0..<100 where shouldContinue {
        task.progress.completedUnitCount = Int64(index + 1)
        task.updateTitle(task.title, subtitle: "\(index + 1) of 100 photos")
    }
    task.setTaskCompleted(success: shouldContinue)
}

func submitExport(title: String) throws {
    let request = BGContinuedProcessingTaskRequest(
        identifier: "com.example.export", title: title, subtitle: "0 of 100 photos")
    request.strategy = .fail
    if BGTaskScheduler.supportedResources.contains(.gpu) { request.requiredResources = .gpu }
    try BGTaskScheduler.shared.submit(request)
}

func describe(_ error: BGTaskScheduler.Error) -> String {
    switch error.code {
    case .unavailable: "unavailable"
    case .tooManyPendingTaskRequests: "too many"
    case .notPermitted: "not permitted"
    case .immediateRunIneligible: "not now"
    @unknown default: "unknown"
    }
}
