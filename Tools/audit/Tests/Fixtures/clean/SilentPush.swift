// lists: com.example.chat.refresh
// modes: remote-notification, fetch
import UIKit

class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        guard let channel = userInfo["channel"] as? String else {
            completionHandler(.noData)
            return
        }
        Chat.shared.load(channel) { result in
            switch result {
            case .success(let messages):
                completionHandler(messages.isEmpty ? .noData : .newData)
            case .failure:
                completionHandler(.failed)
            }
        }
    }
}

class AsyncDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        do {
            return try await Chat.shared.refresh() ? .newData : .noData
        } catch {
            return .failed
        }
    }
}

class TaskDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler handler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        Task {
            do {
                try await Chat.shared.sync(userInfo)
                handler(.newData)
            } catch {
                handler(.failed)
            }
        }
    }
}
