//: task com.example.podcast.refresh app-refresh
//: task com.example.podcast.push push
//: push com.example.podcast.push {"aps": {"content-available": 1}, "episode": 7}
//: run
//: ends com.example.podcast.refresh completed
//: ends com.example.podcast.push completed new-data
//: says feed of 4 bytes
//: says episode 7

import BackgroundTasks
import Foundation
import UIKit

typealias Completion<Value> = (Result<Value, Error>) -> Void

final class FeedClient: NSObject {
    private lazy var session: URLSession = {
        let configuration = URLSessionConfiguration.default
        configuration.timeoutIntervalForRequest = 10
        configuration.waitsForConnectivity = true
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        return URLSession(configuration: configuration)
    }()

    @discardableResult
    func load(_ path: String, completion: @escaping Completion<Data>) -> URLSessionDataTask? {
        let server = ProcessInfo.processInfo.environment["SAMPLE_SERVER"] ?? "https://example.com"
        guard var components = URLComponents(string: server) else { return nil }
        components.path = path
        components.queryItems = [URLQueryItem(name: "limit", value: "10")]
        guard let url = components.url else { return nil }
        let task = session.dataTask(with: url) { data, response, error in
            if let error {
                completion(.failure(error))
            } else if let response = response as? HTTPURLResponse, response.statusCode == 200 {
                completion(.success(data ?? Data()))
            } else {
                completion(.failure(URLError(.badServerResponse)))
            }
        }
        task.resume()
        return task
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let client = FeedClient()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.podcast.refresh", using: .main
        ) { task in
            let request = self.client.load("/file") { result in
                switch result {
                case .success(let data):
                    print("feed of \(data.count) bytes")
                    task.setTaskCompleted(success: true)
                case .failure(let error):
                    print("failed: \(error)")
                    task.setTaskCompleted(success: false)
                }
            }
            task.expirationHandler = { request?.cancel() }
        }
        return true
    }

    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        guard let episode = userInfo["episode"] as? Int else { return completionHandler(.failed) }
        let identifier = application.beginBackgroundTask()
        DispatchQueue.main.async {
            print("episode \(episode)")
            completionHandler(.newData)
            application.endBackgroundTask(identifier)
        }
    }
}
//: swift 5
