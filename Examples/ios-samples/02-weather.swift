//: task com.example.weather.refresh app-refresh
//: run
//: ends com.example.weather.refresh completed
//: says Stormy: true
//: pending com.example.weather.refresh

import BackgroundTasks
import SwiftUI

@main
struct WeatherApp: App {
    @Environment(\.scenePhase) private var phase

    var body: some Scene {
        WindowGroup {
            ContentView()
        }
        .onChange(of: phase) { _, newPhase in
            switch newPhase {
            case .background: scheduleAppRefresh()
            default: break
            }
        }
        .backgroundTask(.appRefresh("com.example.weather.refresh")) {
            scheduleAppRefresh()
            let isStormy = await WeatherService.shared.isStormy()
            print("Stormy: \(isStormy)")
        }
    }
}

actor WeatherService {
    static let shared = WeatherService()

    func isStormy() async -> Bool {
        try? await Task.sleep(nanoseconds: NSEC_PER_MSEC)
        return true
    }
}

@Sendable
func scheduleAppRefresh() {
    let today = Calendar.current.startOfDay(for: .now)
    let tomorrow = Calendar.current.date(byAdding: .day, value: 1, to: today)!
    let noonComponent = DateComponents(hour: 12)
    let noon = Calendar.current.date(byAdding: noonComponent, to: tomorrow)

    let request = BGAppRefreshTaskRequest(identifier: "com.example.weather.refresh")
    request.earliestBeginDate = noon
    try? BGTaskScheduler.shared.submit(request)
}

struct ContentView: View {
    @State private var city = "Kiel"

    var body: some View {
        NavigationStack {
            VStack(alignment: .leading, spacing: 12) {
                Image(systemName: "cloud.bolt.rain")
                    .imageScale(.large)
                    .foregroundStyle(.tint)
                Text("Is it stormy in \(city)?")
                    .font(.headline)
                TextField("City", text: $city)
                    .textFieldStyle(.roundedBorder)
                Button("Refresh") { scheduleAppRefresh() }
                    .buttonStyle(.borderedProminent)
            }
            .padding()
            .navigationTitle("Weather")
        }
    }
}

#Preview {
    ContentView()
}
