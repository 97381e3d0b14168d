// SPDX-License-Identifier: Apache-2.0

// Typical code of iOS apps, which uses only Apple's names. It is compiled for Swift 5 and for
// Swift 6, and must need no change for either.

import Foundation
import UIKit

/// Downloads episodes and uploads recordings, also while the app is not running.
@MainActor
final class DownloadManager: NSObject {
    static let shared = DownloadManager()
    nonisolated static let sessionIdentifier = "com.example.podcasts.transfers"

    /// Set by the app delegate when the app was launched for our session.
    var backgroundCompletionHandler: (() -> Void)?

    private(set) var episodes: [String: URL] = [:]
    private(set) var progress: [Int: Double] = [:]
    private(set) var failures: [URLError] = []
    private(set) var uploads: [Int] = []
    private var partials: [URL: Data] = [:]

    private lazy var session: URLSession = {
        let configuration = URLSessionConfiguration.background(
            withIdentifier: DownloadManager.sessionIdentifier)
        configuration.isDiscretionary = true
        configuration.sessionSendsLaunchEvents = true
        configuration.allowsCellularAccess = false
        configuration.httpAdditionalHeaders = ["Accept": "audio/*"]
        configuration.timeoutIntervalForResource = 24 * 60 * 60
        return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }()

    nonisolated let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("Episodes-\(UUID().uuidString)", isDirectory: true)

    /// Recreates the session, which has the transfers of an earlier launch.
    func activate() {
        try? FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true)
        _ = session
    }

    func download(_ episode: URL, title: String) {
        let task: URLSessionDownloadTask
        if let partial = partials.removeValue(forKey: episode) {
            task = session.downloadTask(withResumeData: partial)
        } else {
            task = session.downloadTask(with: episode)
        }
        task.earliestBeginDate = Date(timeIntervalSinceNow: 60)
        task.countOfBytesClientExpectsToSend = 200
        task.countOfBytesClientExpectsToReceive = 20 * 1024 * 1024
        task.taskDescription = title
        task.resume()
        progress[task.taskIdentifier] = 0
    }

    func upload(_ recording: URL, to server: URL) {
        var request = URLRequest(url: server)
        request.httpMethod = "POST"
        request.setValue("audio/aac", forHTTPHeaderField: "Content-Type")
        let task = session.uploadTask(with: request, fromFile: recording)
        task.priority = URLSessionTask.highPriority
        task.resume()
    }

    /// Stops a download; `download` continues with it.
    func pause(_ episode: URL) {
        session.getTasksWithCompletionHandler { _, _, downloads in
            guard let task = downloads.first(where: { $0.originalRequest?.url == episode }) else {
                return
            }
            task.cancel(byProducingResumeData: { data in
                DispatchQueue.main.async {
                    self.partials[episode] = data
                }
            })
        }
    }

    func titles() async -> [String] {
        await session.allTasks
            .filter { $0.state == .running || $0.state == .suspended }
            .compactMap { $0.taskDescription }
    }
}

extension DownloadManager: URLSessionDownloadDelegate {
    nonisolated func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        guard let response = downloadTask.response as? HTTPURLResponse,
            (200...299).contains(response.statusCode)
        else { return }
        let name = downloadTask.taskDescription ?? location.lastPathComponent
        let destination = directory.appendingPathComponent(name)
        do {
            try FileManager.default.moveItem(at: location, to: destination)
        } catch {
            print("Could not keep \(name): \(error)")
            return
        }
        DispatchQueue.main.async {
            self.episodes[name] = destination
        }
    }

    nonisolated func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        guard totalBytesExpectedToWrite != NSURLSessionTransferSizeUnknown else { return }
        let fraction = Double(totalBytesWritten) / Double(totalBytesExpectedToWrite)
        let identifier = downloadTask.taskIdentifier
        DispatchQueue.main.async {
            self.progress[identifier] = fraction
        }
    }

    nonisolated func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?
    ) {
        guard let error = error as? URLError else {
            if task is URLSessionUploadTask {
                let identifier = task.taskIdentifier
                DispatchQueue.main.async { self.uploads.append(identifier) }
            }
            return
        }
        let partial = error.userInfo[NSURLSessionDownloadTaskResumeData] as? Data
        let url = task.originalRequest?.url
        DispatchQueue.main.async {
            if let url = url, let partial = partial { self.partials[url] = partial }
            if error.code != .cancelled { self.failures.append(error) }
        }
    }

    nonisolated func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        DispatchQueue.main.async {
            guard let completionHandler = self.backgroundCompletionHandler else { return }
            self.backgroundCompletionHandler = nil
            completionHandler()
        }
    }
}

class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        DownloadManager.shared.activate()
        return true
    }

    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        guard identifier == DownloadManager.sessionIdentifier else { return completionHandler() }
        DownloadManager.shared.backgroundCompletionHandler = completionHandler
        DownloadManager.shared.activate()
    }

    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        guard let text = userInfo["episode"] as? String, let episode = URL(string: text),
            let title = userInfo["title"] as? String
        else { return completionHandler(.noData) }
        DownloadManager.shared.download(episode, title: title)
        completionHandler(.newData)
    }
}
