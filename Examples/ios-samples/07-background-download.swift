//: task com.example.downloads.start app-refresh
//: task com.example.downloads.session transfer
//: stay
//: waits saved 4 bytes
//: ends com.example.downloads.start completed
//: ends com.example.downloads.session completed

import BackgroundTasks
import UIKit

final class DownloadManager: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
    static let shared = DownloadManager()

    var backgroundCompletionHandler: (() -> Void)?

    private lazy var session: URLSession = {
        let configuration = URLSessionConfiguration.background(
            withIdentifier: "com.example.downloads.session")
        configuration.isDiscretionary = false
        configuration.sessionSendsLaunchEvents = true
        return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }()

    func reconnect() {
        _ = session
    }

    func start(_ url: URL) {
        let task = session.downloadTask(with: url)
        task.earliestBeginDate = Date()
        task.countOfBytesClientExpectsToSend = 200
        task.countOfBytesClientExpectsToReceive = 4
        task.resume()
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let directory = FileManager.default.temporaryDirectory
        let target = directory.appendingPathComponent(UUID().uuidString)
        do {
            try FileManager.default.moveItem(at: location, to: target)
            let data = try Data(contentsOf: target)
            print("saved \(data.count) bytes")
        } catch {
            print("could not save: \(error)")
        }
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        guard totalBytesExpectedToWrite > 0 else { return }
        print("\(100 * totalBytesWritten / totalBytesExpectedToWrite) %")
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?
    ) {
        if let error { print("failed: \(error.localizedDescription)") }
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        DispatchQueue.main.async {
            self.backgroundCompletionHandler?()
            self.backgroundCompletionHandler = nil
        }
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.downloads.start", using: nil
        ) { task in
            let server = ProcessInfo.processInfo.environment["SAMPLE_SERVER"] ?? "https://example.com"
            DownloadManager.shared.start(URL(string: "\(server)/file")!)
            task.setTaskCompleted(success: true)
        }
        return true
    }

    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        DownloadManager.shared.backgroundCompletionHandler = completionHandler
        DownloadManager.shared.reconnect()
    }
}
