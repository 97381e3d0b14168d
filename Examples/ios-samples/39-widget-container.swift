//: task com.example.widgets.refresh app-refresh
//: run
//: ends com.example.widgets.refresh completed
//: says widget data written

import BackgroundTasks
import OSLog
import SwiftUI
import WidgetKit

struct WidgetData: Codable {
    var temperature: Double
    var updated = Date()
}

private let logger = Logger(subsystem: "com.example.widgets", category: "refresh")

@main
struct WidgetsApp: App {
    var body: some Scene {
        WindowGroup { ContentView() }
            .backgroundTask(.appRefresh("com.example.widgets.refresh")) {
                logger.info("refresh")
                do {
                    try write(WidgetData(temperature: 21))
                    WidgetCenter.shared.reloadAllTimelines()
                    print("widget data written")
                } catch {
                    logger.error("\(error.localizedDescription)")
                }
            }
    }
}

func write(_ data: WidgetData) throws {
    guard let container = FileManager.default.containerURL(
        forSecurityApplicationGroupIdentifier: "group.com.example.widgets")
    else { return }
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    try encoder.encode(data).write(to: container.appendingPathComponent("widget.json"))
}

struct ContentView: View {
    @AppStorage("unit") private var unit = "C"
    @State private var date = Date.now
    private let timer = Timer.publish(every: 1, on: .main, in: .common).autoconnect()

    var body: some View {
        ScrollView {
            LazyVStack(spacing: 8) {
                GroupBox("Now") {
                    Text(date, style: .time)
                        .font(.system(size: 48, weight: .bold, design: .rounded))
                        .monospacedDigit()
                }
                Toggle(isOn: .constant(true)) { Text("Alerts") }
                Picker("Unit", selection: $unit) {
                    Text("°C").tag("C")
                    Text("°F").tag("F")
                }
            }
            .frame(maxWidth: .infinity)
            .background(Color.blue.opacity(0.1))
            .clipShape(RoundedRectangle(cornerRadius: 12))
            .shadow(radius: 4)
        }
        .onReceive(timer) { date = $0 }
    }
}
