//: task com.example.news.fetch app-refresh
//: run
//: ends com.example.news.fetch completed
//: says Received 4 bytes
//: says status 200

import BackgroundTasks
import Foundation
import UIKit

final class FeedLoader: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private var receivedData = Data()
    private let completion: @Sendable (Result<Data, Error>) -> Void
    private lazy var session: URLSession = {
        let configuration = URLSessionConfiguration.default
        configuration.waitsForConnectivity = true
        configuration.timeoutIntervalForRequest = 30
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpAdditionalHeaders = ["Accept": "application/json"]
        return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }()

    init(completion: @escaping @Sendable (Result<Data, Error>) -> Void) {
        self.completion = completion
        super.init()
    }

    func startLoad(_ url: URL) -> URLSessionDataTask {
        receivedData = Data()
        let task = session.dataTask(with: url)
        task.priority = URLSessionTask.highPriority
        task.resume()
        return task
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        guard let response = response as? HTTPURLResponse, (200...299).contains(response.statusCode)
        else {
            completionHandler(.cancel)
            return
        }
        print("status \(response.statusCode)")
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        receivedData.append(data)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping (CachedURLResponse?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        print(
            "Task took \(metrics.taskInterval.duration >= 0 ? "some" : "no") time, \(metrics.redirectCount) redirects"
        )
        for transaction in metrics.transactionMetrics {
            if let start = transaction.fetchStartDate, let end = transaction.responseEndDate {
                print("transaction \(end.timeIntervalSince(start))")
            }
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?)
    {
        if let error = error as? URLError, error.code == .cancelled {
            completion(.failure(error))
        } else if let error {
            completion(.failure(error))
        } else {
            completion(.success(receivedData))
        }
        session.finishTasksAndInvalidate()
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.news.fetch", using: nil)
        { task in
            guard let task = task as? BGAppRefreshTask else { return }
            let server = ProcessInfo.processInfo.environment["SAMPLE_SERVER"] ?? "http://localhost"
            let loader = FeedLoader { result in
                switch result {
                case .success(let data):
                    print("Received \(data.count) bytes")
                    task.setTaskCompleted(success: true)
                case .failure(let error):
                    print("Failed: \(error.localizedDescription)")
                    task.setTaskCompleted(success: false)
                }
            }
            let dataTask = loader.startLoad(URL(string: server + "/feed")!)
            task.expirationHandler = { dataTask.cancel() }
        }
        return true
    }

    func application(
        _ application: UIApplication, supportedInterfaceOrientationsFor window: UIWindow?
    ) -> UIInterfaceOrientationMask {
        .portrait
    }
}
