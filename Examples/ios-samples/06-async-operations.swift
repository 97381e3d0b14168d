//: task com.example.operations.refresh app-refresh
//: run
//: ends com.example.operations.refresh completed
//: says imported: downloaded parsed

import BackgroundTasks
import Foundation
import UIKit

class AsyncOperation: Operation, @unchecked Sendable {
    private let lock = NSLock()
    private var _isExecuting = false
    private var _isFinished = false

    override var isAsynchronous: Bool { true }

    override var isExecuting: Bool {
        get { lock.withLock { _isExecuting } }
        set {
            willChangeValue(forKey: "isExecuting")
            lock.withLock { _isExecuting = newValue }
            didChangeValue(forKey: "isExecuting")
        }
    }

    override var isFinished: Bool {
        get { lock.withLock { _isFinished } }
        set {
            willChangeValue(forKey: "isFinished")
            lock.withLock { _isFinished = newValue }
            didChangeValue(forKey: "isFinished")
        }
    }

    override func start() {
        guard !isCancelled else {
            isFinished = true
            return
        }
        isExecuting = true
        main()
    }

    func finish() {
        isExecuting = false
        isFinished = true
    }
}

final class DownloadOperation: AsyncOperation, @unchecked Sendable {
    private(set) var result: String?

    override func main() {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + 0.01) {
            self.result = "downloaded"
            self.finish()
        }
    }
}

final class ParseOperation: Operation, @unchecked Sendable {
    private let download: DownloadOperation
    private(set) var output: [String] = []

    init(_ download: DownloadOperation) {
        self.download = download
        super.init()
        addDependency(download)
    }

    override func main() {
        guard !isCancelled, let result = download.result else { return }
        output = [result, "parsed"]
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.operations.refresh", using: nil
        ) { task in
            Self.refresh(task)
        }
        return true
    }

    nonisolated private static func refresh(_ task: BGTask) {
        let queue = OperationQueue()
        queue.qualityOfService = .utility
        let download = DownloadOperation()
        let parse = ParseOperation(download)
        let done = BlockOperation {
            print("imported: \(parse.output.joined(separator: " "))")
        }
        done.addDependency(parse)
        task.expirationHandler = { queue.cancelAllOperations() }
        done.completionBlock = {
            task.setTaskCompleted(success: !done.isCancelled)
        }
        queue.addOperations([download, parse, done], waitUntilFinished: false)
    }
}
