//: task com.example.stormy.noon app-refresh
//: task com.example.stormy.film transfer
//: stay
//: ends com.example.stormy.noon completed
//: waits saved as film.mp4
//: ends com.example.stormy.film completed
//: says stormy 42.5

import BackgroundTasks
import SwiftUI

final class Films: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
    static let shared = Films()
    private(set) lazy var session = URLSession(
        configuration: .background(withIdentifier: "com.example.stormy.film"), delegate: self,
        delegateQueue: nil)

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        print("saved as \(downloadTask.response?.suggestedFilename ?? "-")")
    }
}

@main
struct StormyApp: App {
    var body: some Scene {
        WindowGroup { Text("Stormy") }
            .backgroundTask(.appRefresh("com.example.stormy.noon")) {
                let server = ProcessInfo.processInfo.environment["SAMPLE_SERVER"]!
                Films.shared.session.downloadTask(with: URL(string: server + "/film.mp4")!).resume()
                let configuration = URLSessionConfiguration.background(
                    withIdentifier: "com.example.stormy.weather")
                configuration.sessionSendsLaunchEvents = true
                let session = URLSession(configuration: configuration)
                let request = URLRequest(url: URL(string: server + "/price")!)
                let response = await withTaskCancellationHandler {
                    try? await session.data(for: request)
                } onCancel: {
                    session.downloadTask(with: request).resume()
                }
                let value = response.flatMap {
                    try? JSONDecoder().decode([String: Double].self, from: $0.0)
                }
                print("stormy \(value?["value"] ?? -1)")
            }
            .backgroundTask(.urlSession("com.example.stormy.film")) {
                _ = Films.shared.session
            }
    }
}
