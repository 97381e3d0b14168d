// lists: com.example.weather.refresh, com.example.weather.session
// modes: fetch
import BackgroundTasks
import SwiftUI

@main
struct WeatherApp: App {
    @Environment(\.scenePhase) private var phase
    @StateObject private var model = WeatherModel()

    var body: some Scene {
        WindowGroup {
            ContentView().environmentObject(model)
        }
        .onChange(of: phase) { _, newPhase in
            switch newPhase {
            case .background: scheduleAppRefresh()
            case .active: model.reload()
            default: break
            }
        }
        .backgroundTask(.appRefresh("com.example.weather.refresh")) {
            await scheduleAppRefresh()
            let request = URLRequest(url: Weather.url)
            guard let data = try? await URLSession.shared.data(for: request).0 else { return }
            await model.update(data)
        }
        .backgroundTask(.urlSession("com.example.weather.session")) {
            await model.sessionFinished()
        }
    }
}

func scheduleAppRefresh() {
    let today = Calendar.current.startOfDay(for: .now)
    let tomorrow = Calendar.current.date(byAdding: .day, value: 1, to: today)!
    let noonComponent = DateComponents(hour: 12)
    let noon = Calendar.current.date(byAdding: noonComponent, to: tomorrow)

    let request = BGAppRefreshTaskRequest(identifier: "com.example.weather.refresh")
    request.earliestBeginDate = noon
    do {
        try BGTaskScheduler.shared.submit(request)
    } catch {
        print("Could not schedule: \(error)")
    }
}
