//: task com.example.group.refresh app-refresh
//: stay
//: waits group began
//: expire com.example.group.refresh
//: waits group cancelled
//: ends com.example.group.refresh expired

import BackgroundTasks
import SwiftUI

@main
struct GroupApp: App {
    var body: some Scene {
        WindowGroup { Text(verbatim: "Groups") }
            .backgroundTask(.appRefresh("com.example.group.refresh")) {
                await withTaskCancellationHandler {
                    print("group began")
                    await refreshAll()
                } onCancel: {
                    print("group cancelled")
                }
            }
    }
}

func refreshAll() async {
    await withTaskGroup(of: Int.self) { group in
        for number in 0..<3 {
            group.addTask {
                do {
                    try await Task.sleep(nanoseconds: 600 * NSEC_PER_SEC)
                    return number
                } catch {
                    return -1
                }
            }
        }
        var results: [Int] = []
        for await result in group {
            results.append(result)
        }
        print("results \(results)")
    }
}
