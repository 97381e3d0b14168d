//: task com.example.typed.refresh app-refresh
//: task com.example.typed.cleanup processing
//: run
//: ends com.example.typed.refresh completed
//: ends com.example.typed.cleanup completed
//: says typed refresh
//: says typed cleanup

import BackgroundTasks
import SwiftUI

enum BackgroundJob: String, CaseIterable, Sendable {
    case refresh
    case cleanup

    var identifier: String { "com.example.typed.\(rawValue)" }

    func makeRequest() -> BGTaskRequest {
        switch self {
        case .refresh:
            let request = BGAppRefreshTaskRequest(identifier: identifier)
            request.earliestBeginDate = Date(timeIntervalSinceNow: 20 * 60)
            return request
        case .cleanup:
            let request = BGProcessingTaskRequest(identifier: identifier)
            request.requiresExternalPower = true
            request.earliestBeginDate = Date(timeIntervalSinceNow: 24 * 60 * 60)
            return request
        }
    }

    func run() async throws {
        try await Task.sleep(for: .milliseconds(1))
        print("typed \(rawValue)")
    }
}

struct BackgroundJobs: Sendable {
    func registerAll() {
        for job in BackgroundJob.allCases {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: job.identifier, using: nil) { task in
                submit(job)
                let work = Task {
                    do {
                        try await job.run()
                        task.setTaskCompleted(success: true)
                    } catch {
                        task.setTaskCompleted(success: false)
                    }
                }
                task.expirationHandler = {
                    work.cancel()
                }
            }
        }
    }

    func submit(_ job: BackgroundJob) {
        do {
            try BGTaskScheduler.shared.submit(job.makeRequest())
        } catch {
            let error = error as NSError
            print("\(error.domain) \(error.code)")
        }
    }
}

@main
struct TypedApp: App {
    private let jobs = BackgroundJobs()

    init() {
        jobs.registerAll()
    }

    var body: some Scene {
        WindowGroup {
            Form {
                Section {
                    ForEach(BackgroundJob.allCases, id: \.self) { job in
                        Button(job.rawValue.capitalized) { jobs.submit(job) }
                    }
                } header: {
                    Text("Jobs")
                } footer: {
                    Text("Runs when the device is charging.")
                        .font(.caption)
                }
            }
        }
    }
}
