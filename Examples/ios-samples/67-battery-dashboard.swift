//: task com.example.dashboard.refresh app-refresh
//: run
//: ends com.example.dashboard.refresh completed
//: says Refreshed 3 readings, average 0.5
//: says The animation has ended

import BackgroundTasks
import Observation
import SwiftUI

struct Reading: Identifiable, Hashable, Codable {
    let id: Int
    var name: String
    var level: Double
    var children: [Reading]?
}

@Observable
@MainActor
final class Dashboard {
    static let shared = Dashboard()
    var readings: [Reading] = []
    var isExpanded = true
    var isAlerting = false

    var average: Double {
        readings.isEmpty ? 0 : readings.map(\.level).reduce(0, +) / Double(readings.count)
    }

    func refresh() async throws {
        try await Task.sleep(for: .milliseconds(10))
        let loaded = ["Phone", "Watch", "Pods"].enumerated().map {
            Reading(id: $0, name: $1, level: Double($0) / 2)
        }
        withAnimation(.interactiveSpring(response: 0.4, dampingFraction: 0.7)) {
            readings = loaded
        } completion: {
            print("The animation has ended")
        }
        withAnimation(.timingCurve(0.2, 0.8, 0.2, 1, duration: 0.4)) { isExpanded = false }
    }
}

struct RingProgressStyle: ProgressViewStyle {
    func makeBody(configuration: Configuration) -> some View {
        ZStack {
            Circle().stroke(.quaternary, style: StrokeStyle(lineWidth: 6))
            Circle()
                .trim(from: 0, to: configuration.fractionCompleted ?? 0)
                .stroke(
                    AngularGradient(
                        gradient: Gradient(colors: [.red, .green]), center: .center,
                        startAngle: .zero, endAngle: .degrees(360)),
                    style: StrokeStyle(lineWidth: 6, lineCap: .round)
                )
                .rotationEffect(.degrees(-90))
            configuration.currentValueLabel
        }
    }
}

struct ReadingRow: View {
    let reading: Reading
    @Environment(Dashboard.self) private var dashboard: Dashboard?
    @Environment(\.accessibilityReduceMotion) private var reduceMotion
    @Environment(\.redactionReasons) private var reasons

    var body: some View {
        Gauge(value: reading.level, in: 0...1) {
            Label(reading.name, systemImage: "battery.100")
        } currentValueLabel: {
            Text(reading.level, format: .percent).tracking(1)
        } minimumValueLabel: {
            Text("0")
        } maximumValueLabel: {
            Text("100")
        }
        .gaugeStyle(.accessoryCircularCapacity)
        .tint(Gradient(colors: [Color(hue: 0.1, saturation: 1, brightness: 1), .green]))
        .badge(reading.level < 0.2 ? Text("Low") : nil)
        .badge(reasons.isEmpty ? "Fine" : nil)
        .privacySensitive()
        .accessibilityLabel(Text(reading.name))
        .accessibilityValue(Text("\(Int(reading.level * 100)) percent"))
        .accessibilityAction(named: Text("Refresh")) { dashboard?.isAlerting = true }
        .phaseAnimator([false, true], trigger: reading.level) { content, phase in
            content.scaleEffect(phase && !reduceMotion ? 1.1 : 1)
        } animation: { _ in
            .snappy(duration: 0.3)
        }
    }
}

struct DashboardView: View {
    @Bindable var dashboard = Dashboard.shared
    @State private var search = ""
    @State private var scope = 0
    @State private var selected: Reading?

    var body: some View {
        NavigationSplitView {
            List {
                Section("Devices", isExpanded: $dashboard.isExpanded) {
                    ForEach(dashboard.readings) { ReadingRow(reading: $0) }
                }
                OutlineGroup(dashboard.readings, children: \.children) { Text($0.name) }
                ControlGroup {
                    Button("Add", systemImage: "plus") {}
                    Button(role: .destructive) {
                        dashboard.readings = []
                    } label: {
                        Label("Clear", systemImage: "trash")
                    }
                }
                Toggle("Alerts", systemImage: "bell", isOn: $dashboard.isAlerting)
                Stepper {
                    Text("Limit")
                } onIncrement: {
                } onDecrement: {
                }
            }
            .navigationTitle(Text("Dashboard"))
            .searchable(text: $search, placement: .sidebar)
            .searchSuggestions { Text("Phone").searchCompletion("phone") }
            .searchScopes($scope) { Text("All").tag(0) }
            .contentMargins(.horizontal, 16, for: .scrollContent)
        } detail: {
            ProgressView(value: dashboard.average) {
                Text("Average")
            } currentValueLabel: {
                Text(dashboard.average, format: .percent)
            }
            .progressViewStyle(RingProgressStyle())
            .popover(item: $selected) { Text($0.name).presentationCornerRadius(20) }
            .confirmationDialog(Text("Really?"), isPresented: $dashboard.isAlerting) {
                Button(role: .close) {}
            }
            .inspector(isPresented: $dashboard.isAlerting) { Text("Details") }
        }
        .navigationSplitViewStyle(.balanced)
        .dynamicTypeSize(.small ... .xxLarge)
        .toolbarRole(.editor)
        .buttonStyle(.borderedProminent)
        .buttonBorderShape(.capsule)
    }
}

@main
struct DashboardApp: App {
    var body: some Scene {
        WindowGroup {
            DashboardView().environment(Dashboard.shared)
        }
        .backgroundTask(.appRefresh("com.example.dashboard.refresh")) {
            try? await Dashboard.shared.refresh()
            let (count, average) = await (Dashboard.shared.readings.count, Dashboard.shared.average)
            print("Refreshed \(count) readings, average \(average)")
        }
    }
}
