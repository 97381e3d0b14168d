//: task com.example.bank.refresh app-refresh
//: run
//: ends com.example.bank.refresh completed
//: says price 42.5
//: says task completed: true
//: says resumed failed

import BackgroundTasks
import Foundation
import UIKit

/// Answers challenges like apps that pin the certificate of their server.
final class PinnedSession: NSObject, URLSessionDataDelegate, URLSessionTaskDelegate {
    private let stream: AsyncStream<URLSessionTask.State>
    private let continuation: AsyncStream<URLSessionTask.State>.Continuation

    override init() {
        (stream, continuation) = AsyncStream.makeStream()
        super.init()
    }

    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust,
            let serverTrust = challenge.protectionSpace.serverTrust
        else {
            completionHandler(.performDefaultHandling, nil)
            return
        }
        completionHandler(.useCredential, URLCredential(trust: serverTrust))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        switch challenge.protectionSpace.authenticationMethod {
        case NSURLAuthenticationMethodClientCertificate:
            completionHandler(.rejectProtectionSpace, nil)
        case NSURLAuthenticationMethodHTTPBasic where challenge.previousFailureCount == 0:
            completionHandler(
                .useCredential,
                URLCredential(user: "ada", password: "lovelace", persistence: .forSession))
        default:
            completionHandler(.cancelAuthenticationChallenge, nil)
        }
    }

    func refresh(_ server: URL) async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.networkServiceType = .responsiveData
        configuration.connectionProxyDictionary = [:]
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }

        var request = URLRequest(url: server.appending(path: "price"))
        request.assumesHTTP3Capable = true
        request.attribution = .user
        let (bytes, response) = try await session.bytes(for: request, delegate: self)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else {
            throw URLError(.badServerResponse)
        }
        var json = ""
        for try await character in bytes.characters { json.append(character) }
        let price = try JSONDecoder().decode([String: Double].self, from: Data(json.utf8))
        print("price \(price["value"] ?? 0)")

        let task = session.dataTask(with: server.appending(path: "four"))
        task.delegate = self
        task.prefersIncrementalDelivery = false
        let observation = task.observe(\.state, options: [.new]) { [continuation] task, _ in
            continuation.yield(task.state)
        }
        task.resume()
        for await state in stream where state == .completed { break }
        observation.invalidate()
        print("task completed: \(task.error == nil)")

        do {
            _ = try await session.download(resumeFrom: Data())
        } catch {
            print("resumed failed")
        }
        bytes.task.cancel()
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.bank.refresh", using: nil
        ) { task in
            let work = Task {
                let server = ProcessInfo.processInfo.environment["SAMPLE_SERVER"]
                guard let url = URL(string: server ?? "https://example.com") else { return }
                do {
                    try await PinnedSession().refresh(url)
                    task.setTaskCompleted(success: true)
                } catch {
                    print("refresh failed: \(error)")
                    task.setTaskCompleted(success: false)
                }
            }
            task.expirationHandler = { work.cancel() }
        }
        return true
    }
}
