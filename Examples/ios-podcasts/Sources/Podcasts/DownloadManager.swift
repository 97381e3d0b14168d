// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Fetches episodes, also while the app is not running.
@MainActor
final class DownloadManager: NSObject {
    static let shared = DownloadManager()

    /// Set by the app delegate when the app was launched for the session.
    var backgroundCompletionHandler: (() -> Void)?

    private nonisolated let directory = FileManager.default
        .urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
        .appendingPathComponent("Podcasts", isDirectory: true)

    private lazy var session: URLSession = {
        let configuration = URLSessionConfiguration.background(
            withIdentifier: "com.example.podcasts.episodes")
        configuration.sessionSendsLaunchEvents = true
        return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }()

    /// Recreates the session, which has the transfers of an earlier launch.
    func activate() {
        try? FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        _ = session
    }

    /// Starts to download the new episodes of the feed; returns their number, or nil without a feed.
    func downloadNewEpisodes() async -> Int? {
        let address = ProcessInfo.processInfo.environment["PODCASTS_FEED"] ?? ""
        guard let feed = URL(string: address),
            let (data, _) = try? await URLSession.shared.data(from: feed),
            let episodes = try? JSONDecoder().decode([String: URL].self, from: data)
        else { return nil }
        let known = await session.allTasks.compactMap(\.taskDescription)
        return episodes.count { title, url in
            !known.contains(title) && download(url, title: title)
        }
    }

    /// Starts to download an episode; returns false if its file exists.
    func download(_ episode: URL, title: String) -> Bool {
        guard !FileManager.default.fileExists(atPath: directory.path + "/" + title) else {
            return false
        }
        let task = session.downloadTask(with: episode)
        task.taskDescription = title
        task.resume()
        return true
    }
}

extension DownloadManager: URLSessionDownloadDelegate {
    nonisolated func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        guard let title = downloadTask.taskDescription else { return }
        if let response = downloadTask.response as? HTTPURLResponse, response.statusCode >= 400 {
            print("Could not get \(title): the server answers \(response.statusCode)")
            return
        }
        let place = directory.appendingPathComponent(title)
        do {
            try? FileManager.default.removeItem(at: place)
            try FileManager.default.moveItem(at: location, to: place)
            print("Got \(title)")
        } catch {
            print("Could not keep \(title): \(error)")
        }
    }

    nonisolated func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?
    ) {
        guard let error = error else { return }
        let title = task.taskDescription ?? "an episode"
        print("Could not get \(title): \(error.localizedDescription)")
    }

    nonisolated func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        DispatchQueue.main.async {
            self.backgroundCompletionHandler?()
            self.backgroundCompletionHandler = nil
        }
    }
}
