//: task com.example.space.check app-refresh
//: run
//: ends com.example.space.check completed
//: says space for 1 MB: true
//: says resumes 3 bytes, force quit true
//: says needs an unmetered network: true

import BackgroundTasks
import Foundation
import UIKit

enum Storage {
    static func hasSpace(for bytes: Int64) throws -> Bool {
        let url = URL(fileURLWithPath: NSHomeDirectory())
        let values = try url.resourceValues(forKeys: [.volumeAvailableCapacityForImportantUsageKey])
        guard let capacity = values.volumeAvailableCapacityForImportantUsage else { return false }
        return capacity > bytes
    }

    static func describe(_ error: URLError) -> String {
        if error.networkUnavailableReason == .constrained { return "low data mode" }
        let size = error.downloadTaskResumeData?.count ?? 0
        return "resumes \(size) bytes, force quit \(error.backgroundTaskCancelledReason == .userForceQuitApplication)"
    }

    static func request(for url: URL) -> URLRequest {
        var request = URLRequest(url: url)
        request.allowsExpensiveNetworkAccess = false
        request.allowsConstrainedNetworkAccess = false
        return request
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.space.check", using: nil) { task in
            do {
                let configuration = URLSessionConfiguration.default
                configuration.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 8 << 20)
                print("space for 1 MB: \(try Storage.hasSpace(for: 1 << 20))")
                print(Storage.describe(URLError(.cancelled, userInfo: [
                    NSURLSessionDownloadTaskResumeData: Data(count: 3),
                    NSURLErrorBackgroundTaskCancelledReasonKey: NSURLErrorCancelledReasonUserForceQuitApplication,
                ])))
                let request = Storage.request(for: URL(string: "https://example.com/film")!)
                print("needs an unmetered network: \(!request.allowsExpensiveNetworkAccess)")
                task.setTaskCompleted(success: true)
            } catch {
                task.setTaskCompleted(success: false)
            }
        }
        return true
    }
}
