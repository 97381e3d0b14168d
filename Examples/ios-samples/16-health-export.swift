//: task com.example.health.export processing
//: run
//: ends com.example.health.export completed
//: says exported 250 samples
//: pending com.example.health.export

import BackgroundTasks
import Foundation
import UIKit

struct HealthSample: Codable, Identifiable, Hashable {
    let id: UUID
    let value: Double
    let date: Date
}

protocol HealthStore: Sendable {
    func samples(since anchor: Int, limit: Int) async throws -> [HealthSample]
}

struct InMemoryHealthStore: HealthStore {
    let count: Int

    func samples(since anchor: Int, limit: Int) async throws -> [HealthSample] {
        (anchor..<min(anchor + limit, count)).map {
            HealthSample(id: UUID(), value: Double($0), date: .now)
        }
    }
}

final class HealthExporter: @unchecked Sendable {
    private static let anchorKey = "health.anchor"
    static let taskIdentifier = "com.example.health.export"

    private let store: any HealthStore
    private let defaults: UserDefaults

    init(store: any HealthStore, defaults: UserDefaults = .standard) {
        self.store = store
        self.defaults = defaults
    }

    func schedule() {
        let request = BGProcessingTaskRequest(identifier: Self.taskIdentifier)
        request.requiresNetworkConnectivity = true
        request.requiresExternalPower = true
        request.earliestBeginDate = Calendar.current.date(byAdding: .hour, value: 6, to: Date())
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch let error as BGTaskScheduler.Error {
            switch error.code {
            case .notPermitted: print("not permitted")
            case .tooManyPendingTaskRequests: print("too many")
            case .unavailable: print("unavailable")
            default: print("other")
            }
        } catch {
            print(error)
        }
    }

    func export() async throws -> Int {
        var anchor = 0
        var exported = 0
        while true {
            try Task.checkCancellation()
            let batch = try await store.samples(since: anchor, limit: 100)
            guard !batch.isEmpty else { break }
            exported += batch.count
            anchor += batch.count
            defaults.set(anchor, forKey: Self.anchorKey)
        }
        return exported
    }

    func handle(_ task: BGProcessingTask) {
        schedule()
        let work = Task {
            do {
                let count = try await export()
                print("exported \(count) samples")
                task.setTaskCompleted(success: true)
            } catch {
                task.setTaskCompleted(success: false)
            }
        }
        task.expirationHandler = { work.cancel() }
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    let exporter = HealthExporter(store: InMemoryHealthStore(count: 250))

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: HealthExporter.taskIdentifier, using: nil
        ) { [exporter] task in
            guard let task = task as? BGProcessingTask else { return }
            exporter.handle(task)
        }
        return true
    }
}
