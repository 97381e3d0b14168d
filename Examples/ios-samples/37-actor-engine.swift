//: task com.example.engine.sync processing
//: task com.example.engine.refresh app-refresh
//: run
//: ends com.example.engine.sync completed
//: ends com.example.engine.refresh completed
//: says synced 6 records

import BackgroundTasks
import UIKit

struct Record: Sendable, Hashable, Codable {
    let id: Int
}

protocol RecordSource: Sendable {
    func records() -> AsyncThrowingStream<Record, any Error>
}

struct NumberedSource: RecordSource {
    let count: Int

    func records() -> AsyncThrowingStream<Record, any Error> {
        AsyncThrowingStream { continuation in
            for id in 0..<count { continuation.yield(Record(id: id)) }
            continuation.finish()
        }
    }
}

actor SyncEngine {
    private let sources: [any RecordSource]
    private var known: Set<Record> = []

    init(sources: [any RecordSource]) {
        self.sources = sources
    }

    func sync() async throws -> Int {
        for source in sources {
            for try await record in source.records() {
                try Task.checkCancellation()
                known.insert(record)
            }
        }
        return known.count
    }
}

/// Completes a task once; later calls do nothing.
final class TaskBox: @unchecked Sendable {
    private let task: BGTask
    private let lock = NSLock()
    private var isCompleted = false

    init(_ task: BGTask) {
        self.task = task
    }

    func complete(success: Bool) {
        lock.lock()
        defer { lock.unlock() }
        guard !isCompleted else { return }
        isCompleted = true
        task.setTaskCompleted(success: success)
    }
}

@main
final class AppDelegate: NSObject, UIApplicationDelegate {
    private let engine = SyncEngine(sources: [NumberedSource(count: 4), NumberedSource(count: 6)])

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        for identifier in ["com.example.engine.sync", "com.example.engine.refresh"] {
            BGTaskScheduler.shared.register(
                forTaskWithIdentifier: identifier, using: nil
            ) { [engine] task in
                let box = TaskBox(task)
                let work = Task {
                    do {
                        let count = try await engine.sync()
                        print("synced \(count) records")
                        box.complete(success: true)
                    } catch {
                        box.complete(success: false)
                    }
                }
                task.expirationHandler = {
                    work.cancel()
                    box.complete(success: false)
                }
            }
        }
        return true
    }
}
