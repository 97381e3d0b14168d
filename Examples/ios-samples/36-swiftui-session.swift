//: task com.example.maps.order app-refresh
//: task com.example.maps.session transfer
//: stay
//: waits map of 4 bytes
//: ends com.example.maps.order completed
//: ends com.example.maps.session completed

import BackgroundTasks
import SwiftUI

@main
struct MapsApp: App {
    var body: some Scene {
        WindowGroup { Color.clear }
            .backgroundTask(.appRefresh("com.example.maps.order")) {
                let server = ProcessInfo.processInfo.environment["SAMPLE_SERVER"] ?? "https://example.com"
                MapLoader.shared.download(URL(string: "\(server)/file")!)
            }
            .backgroundTask(.urlSession("com.example.maps.session")) {
                MapLoader.shared.connect()
            }
    }
}

final class MapLoader: NSObject, @unchecked Sendable {
    static let shared = MapLoader()

    private lazy var session = URLSession(
        configuration: .background(withIdentifier: "com.example.maps.session"), delegate: self,
        delegateQueue: nil)

    func connect() {
        _ = session
    }

    func download(_ url: URL) {
        session.downloadTask(with: URLRequest(url: url)).resume()
    }
}

extension MapLoader: URLSessionDownloadDelegate {
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let size = (try? Data(contentsOf: location).count) ?? 0
        print("map of \(size) bytes")
    }
}
