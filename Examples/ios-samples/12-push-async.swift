//: task com.example.mail.push push
//: push com.example.mail.push {"aps": {"content-available": 1}, "unread": 0}
//: run
//: ends com.example.mail.push completed no-data
//: says nothing unread

import SwiftUI

@main
struct MailApp: App {
    @UIApplicationDelegateAdaptor(AppDelegate.self) var appDelegate

    var body: some Scene {
        WindowGroup {
            InboxView()
        }
    }
}

final class AppDelegate: NSObject, UIApplicationDelegate, ObservableObject {
    @Published var unread = 0

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        application.registerForRemoteNotifications()
        return true
    }

    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        unread = userInfo["unread"] as? Int ?? 0
        guard unread > 0 else {
            print("nothing unread")
            return .noData
        }
        return .newData
    }
}

struct InboxView: View {
    @EnvironmentObject private var delegate: AppDelegate
    @State private var isLoading = false

    var body: some View {
        NavigationView {
            VStack {
                if isLoading {
                    ProgressView("Loading")
                } else {
                    Text("\(delegate.unread) unread")
                }
                Spacer()
            }
            .navigationBarTitle("Inbox")
            .onReceive(NotificationCenter.default.publisher(for: UIApplication.didBecomeActiveNotification)) { _ in
                isLoading = false
            }
            .task {
                isLoading = true
            }
        }
    }
}
