//: task com.example.scores.first app-refresh
//: task com.example.scores.second processing manual
//: run
//: ends com.example.scores.first completed
//: submit com.example.scores.second
//: run
//: ends com.example.scores.second completed
//: says best 7, name Ada, suite 3
//: file home/Library/Preferences/com.example.scores.plist

import BackgroundTasks
import SwiftUI

@main
struct ScoreApp: App {
    @AppStorage("best") private var best = 0
    @AppStorage("name") private var name: String?

    init() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.scores.second", using: nil) { task in
            let shared = UserDefaults(suiteName: "group.com.example.scores")
            print("best \(UserDefaults.standard.integer(forKey: "best")), name \(UserDefaults.standard.string(forKey: "name") ?? "-"), suite \(shared?.integer(forKey: "n") ?? 0)")
            task.setTaskCompleted(success: true)
        }
    }

    var body: some Scene {
        WindowGroup { Text("\(best)") }
            .backgroundTask(.appRefresh("com.example.scores.first")) {
                await MainActor.run {
                    best = 7
                    name = "Ada"
                }
                UserDefaults(suiteName: "group.com.example.scores")?.set(3, forKey: "n")
            }
    }
}
