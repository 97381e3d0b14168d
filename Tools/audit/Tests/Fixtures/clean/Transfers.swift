import UIKit

/// A background session as Apple's pages have it.
final class Downloads: NSObject, URLSessionDownloadDelegate {
    static let shared = Downloads()
    var completionHandler: (() -> Void)?

    private lazy var session: URLSession = {
        let configuration = URLSessionConfiguration.background(withIdentifier: "com.example.media")
        configuration.isDiscretionary = true
        configuration.sessionSendsLaunchEvents = true
        return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }()

    func start(_ url: URL) {
        let task = session.downloadTask(with: url)
        task.earliestBeginDate = Date().addingTimeInterval(60)
        task.countOfBytesClientExpectsToSend = 200
        task.resume()
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        do {
            let target = Library.url(for: downloadTask)
            try FileManager.default.moveItem(at: location, to: target)
            DispatchQueue.main.async { Library.shared.add(target) }
        } catch {
            print("could not keep \(location): \(error)")
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        if let error { print("failed: \(error)") }
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        DispatchQueue.main.async {
            self.completionHandler?()
            self.completionHandler = nil
        }
    }
}

class AppDelegate: UIResponder, UIApplicationDelegate {
    private var assertion = UIBackgroundTaskIdentifier.invalid

    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        Downloads.shared.completionHandler = completionHandler
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        assertion = application.beginBackgroundTask(withName: "save") { [weak self] in
            self?.endAssertion()
        }
        Task {
            await Store.shared.save()
            endAssertion()
        }
    }

    private func endAssertion() {
        guard assertion != .invalid else { return }
        UIApplication.shared.endBackgroundTask(assertion)
        assertion = .invalid
    }
}
