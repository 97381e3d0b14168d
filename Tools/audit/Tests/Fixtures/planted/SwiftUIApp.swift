// lists: com.example.weather.refresh
// modes:
import BackgroundTasks
import SwiftUI

@main
struct WeatherApp: App {
    @Environment(\.scenePhase) private var phase

    var body: some Scene {
        WindowGroup {
            ContentView()
                .onAppear {
                    BGTaskScheduler.shared.register(  // expect: registered-late
                        forTaskWithIdentifier: "com.example.weather.tiles",  // expect: identifier-not-listed
                        using: nil
                    ) { task in
                        TileCache.shared.prefetch(task as! BGProcessingTask)
                    }
                }
        }
        .onChange(of: phase) { newPhase in
            if newPhase == .background { scheduleRefresh() }
        }
        .backgroundTask(.appRefresh("com.example.weather.refresh")) {  // expect: not-rescheduled
            for city in await Cities.all() {  // expect: loop-ignores-cancellation
                await Forecasts.shared.update(city)
            }
        }
        .backgroundTask(.appRefresh("com.example.weather.alerts")) {  // expect: identifier-not-listed
            scheduleAlerts()
            await Alerts.shared.update()
            try? await Task.sleep(for: .seconds(25))  // expect: relies-on-time
            await Alerts.shared.update()
        }
    }

    func scheduleRefresh() {
        let request = BGAppRefreshTaskRequest(identifier: "com.example.weather.refresh")  // expect: mode-missing
        request.earliestBeginDate = Calendar.current.date(byAdding: .minute, value: 5, to: Date())  // expect: earliest-under-15-minutes
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            print("Could not schedule refresh: \(error)")
        }
    }

    func scheduleAlerts() {
        let request = BGProcessingTaskRequest(  // expect: mode-missing, kind-mismatch
            identifier: "com.example.weather.alerts")  // expect: identifier-not-listed
        let nextMonth = Calendar.current.date(byAdding: .day, value: 30, to: .now)
        request.earliestBeginDate = nextMonth  // expect: earliest-beyond-a-week
        _ = try? BGTaskScheduler.shared.submit(request)  // expect: submit-error-ignored
    }
}
