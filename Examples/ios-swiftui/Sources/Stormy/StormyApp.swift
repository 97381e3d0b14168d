// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import SwiftUI

/// A SwiftUI app, written for iOS.
@main
struct StormyApp: App {
    @UIApplicationDelegateAdaptor(AppDelegate.self) private var delegate
    @Environment(\.scenePhase) private var scenePhase

    init() {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.stormy.tidy", using: nil
        ) { task in
            Album.tidy(during: task as! BGProcessingTask)
        }
    }

    var body: some Scene {
        WindowGroup {
            ContentView()
        }
        .onChange(of: scenePhase) { _, phase in
            if phase == .background { scheduleRefresh() }
        }
        .backgroundTask(.appRefresh("com.example.stormy.refresh")) {
            scheduleRefresh()
            guard let weather = await Forecast.shared.update() else {
                print("no report in time")
                return
            }
            print("the weather is \(weather)")
        }
        .backgroundTask(.urlSession("com.example.stormy.photos")) {
            print("photos are uploaded")
        }
    }
}

func scheduleRefresh() {
    let request = BGAppRefreshTaskRequest(identifier: "com.example.stormy.refresh")
    request.earliestBeginDate = Date(timeIntervalSinceNow: 15 * 60)
    do {
        try BGTaskScheduler.shared.submit(request)
        print("scheduled a refresh")
    } catch {
        print("Could not schedule app refresh: \(error)")
    }
}

struct ContentView: View {
    var body: some View {
        VStack {
            Text("Is it stormy?")
            Text("Not yet.").padding()
        }
    }
}
