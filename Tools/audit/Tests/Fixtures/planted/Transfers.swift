// lists: com.example.transfers.refresh
// modes: fetch
import UIKit

class TransferDelegate: UIResponder, UIApplicationDelegate, URLSessionDownloadDelegate {
    var pending: (() -> Void)?

    lazy var session: URLSession = {
        let configuration = URLSessionConfiguration.background(withIdentifier: "com.example.media")
        configuration.sessionSendsLaunchEvents = true
        return URLSession(configuration: configuration)  // expect: session-without-delegate
    }()

    func application(  // expect: session-events-not-finished
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        pending = completionHandler
    }

    func application(  // expect: mode-missing
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        guard let id = userInfo["id"] as? String else {
            return  // expect: fetch-completion-on-every-path
        }
        Feed.shared.load(id) { result in
            switch result {
            case .success: completionHandler(.newData)
            case .failure: break  // expect: fetch-completion-on-every-path
            }
        }
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        DispatchQueue.global().async {
            try? FileManager.default.moveItem(at: location, to: Media.url)  // expect: download-not-moved
        }
    }

    func fetch(_ url: URL) async throws -> Data {
        let (data, _) = try await session.data(from: url)  // expect: session-without-delegate
        return data
    }

    func saveState() {
        UIApplication.shared.beginBackgroundTask(withName: "save") {  // expect: assertion-not-ended
            print("no time left")
        }
        Store.shared.save()
    }
}

final class Uploads: NSObject, URLSessionDownloadDelegate {
    let session = URLSession(
        configuration: .background(withIdentifier: "com.example.uploads"), delegate: Uploads.shared,
        delegateQueue: nil)
    var assertion = UIBackgroundTaskIdentifier.invalid

    func upload(_ file: URL) {
        assertion = UIApplication.shared.beginBackgroundTask {  // expect: assertion-not-ended
            UIApplication.shared.endBackgroundTask(self.assertion)
            self.assertion = .invalid
        }
        session.uploadTask(with: request, fromFile: file) { _, _, _ in }.resume()  // expect: session-without-delegate
    }

    func urlSession(  // expect: download-not-moved
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        print("downloaded")
    }
}

class OldDelegate: UIResponder, UIApplicationDelegate {
    func application(  // expect: session-events-not-finished
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        print("events for \(identifier)")
    }

    func application(  // expect: fetch-completion-on-every-path
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        Feed.shared.refresh()
    }
}
