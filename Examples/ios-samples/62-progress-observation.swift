//: task com.example.scans.upload processing
//: run
//: ends com.example.scans.upload completed
//: says fraction 1.0
//: says from 0.0 to
//: says finished: true
//: says published 1.0
//: says operation finished

import BackgroundTasks
import Combine
import UIKit

/// Compresses scans in order; a controller shows the progress.
final class ScanExporter: @unchecked Sendable {
    let progress = Progress(totalUnitCount: 10)
    private var observations: [NSKeyValueObservation] = []
    private var cancellables = Set<AnyCancellable>()
    private let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return queue
    }()

    func start() {
        observations.append(
            progress.observe(\.fractionCompleted) { progress, _ in
                print("fraction \(progress.fractionCompleted)")
            })
        observations.append(
            progress.observe(\.completedUnitCount, options: [.old, .new]) { _, change in
                guard let old = change.oldValue, let new = change.newValue else { return }
                print("from \(Double(old)) to \(Double(new))")
            })
        observations.append(
            progress.observe(\.isFinished, options: [.new]) { progress, change in
                print("finished: \(change.newValue ?? progress.isFinished)")
            })
        progress.publisher(for: \.fractionCompleted)
            .removeDuplicates()
            .receive(on: DispatchQueue.main)
            .sink { print("published \($0)") }
            .store(in: &cancellables)
    }

    func export() async throws {
        for index in 0..<10 {
            let operation = BlockOperation {
                Thread.sleep(forTimeInterval: 0.01)
            }
            if index == 9 {
                observations.append(
                    operation.observe(\.isFinished) { operation, _ in
                        if operation.isFinished { print("operation finished") }
                    })
            }
            queue.addOperation(operation)
            queue.addBarrierBlock { [progress] in progress.completedUnitCount += 1 }
        }
        while !progress.isFinished {
            try await Task.sleep(nanoseconds: 50_000_000)
        }
        try await Task.sleep(nanoseconds: 500_000_000)
    }

    func stop() {
        observations.forEach { $0.invalidate() }
        observations.removeAll()
        cancellables.removeAll()
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.scans.upload", using: nil
        ) { task in
            let exporter = ScanExporter()
            let work = Task {
                exporter.start()
                do {
                    try await exporter.export()
                    exporter.stop()
                    task.setTaskCompleted(success: true)
                } catch {
                    task.setTaskCompleted(success: false)
                }
            }
            task.expirationHandler = { work.cancel() }
        }
        return true
    }
}
