//: task com.example.reach.sync app-refresh
//: run
//: ends com.example.reach.sync completed
//: says Path satisfied

import BackgroundTasks
import Network
import SwiftUI

@MainActor
@Observable
final class Reachability {
    private(set) var isConnected = false
    private(set) var connectionType: NWInterface.InterfaceType?
    @ObservationIgnored private let monitor = NWPathMonitor()
    @ObservationIgnored private let queue = DispatchQueue(label: "Reachability")

    func start() {
        monitor.pathUpdateHandler = { [weak self] path in
            let type = NWInterface.InterfaceType.allCases.filter { path.usesInterfaceType($0) }
                .first
            let names = path.availableInterfaces.map { "\($0.name) \($0.type)" }
            Task { @MainActor in
                self?.isConnected = path.status == .satisfied
                self?.connectionType = type
                _ = names
            }
        }
        monitor.start(queue: queue)
    }

    deinit {
        monitor.cancel()
    }
}

func currentPath() async -> NWPath {
    let monitor = NWPathMonitor(prohibitedInterfaceTypes: [.cellular])
    for await path in monitor {
        if path.status == .unsatisfied {
            switch path.unsatisfiedReason {
            case .cellularDenied, .wifiDenied: print("denied")
            default: break
            }
        }
        return path
    }
    return monitor.currentPath
}

struct StatusView: View {
    @Environment(Reachability.self) private var reachability

    var body: some View {
        HStack {
            Image(systemName: reachability.isConnected ? "wifi" : "wifi.slash")
                .symbolRenderingMode(.hierarchical)
                .symbolEffect(.pulse, isActive: !reachability.isConnected)
            Text(reachability.isConnected ? "Online" : "Offline")
        }
        .animation(.easeInOut, value: reachability.isConnected)
        .transition(.opacity)
    }
}

@main
struct ReachApp: App {
    @State private var reachability = Reachability()

    var body: some Scene {
        WindowGroup {
            StatusView()
                .environment(reachability)
                .onAppear { reachability.start() }
        }
        .backgroundTask(.appRefresh("com.example.reach.sync")) {
            let path = await currentPath()
            print(
                "Path \(path.status) expensive \(path.isExpensive) constrained \(path.isConstrained)"
            )
        }
    }
}
