// SPDX-License-Identifier: Apache-2.0

import BGRunIOS
import BackgroundTasks
import SwiftUI

/// A SwiftUI app in such a module.
public struct LibraryApp: App {
    public nonisolated static let identifier = "com.example.library.refresh"
    public private(set) static var refreshes = 0

    @StateObject private var store = NewsStore()
    @Environment(\.scenePhase) private var scenePhase

    public init() {}

    public var body: some Scene {
        WindowGroup { Titles(store: store) }
            .onChange(of: scenePhase) {
                if scenePhase == .background { schedule() }
            }
            .backgroundTask(.appRefresh(Self.identifier)) { await refresh() }
    }

    private func refresh() async {
        schedule()
        await store.refresh()
        Self.refreshes += 1
    }

    private func schedule() {
        let request = BGAppRefreshTaskRequest(identifier: Self.identifier)
        request.earliestBeginDate = .now + 3600
        try? BGTaskScheduler.shared.submit(request)
    }
}

struct Titles: View {
    @ObservedObject var store: NewsStore
    @State private var selection: String?

    var body: some View {
        NavigationStack {
            List(store.titles, id: \.self, selection: $selection) { Text($0) }
                .task { await store.refresh() }
        }
    }
}

#Preview { Titles(store: NewsStore()) }

#Preview("Own state") {
    @Previewable @State var selection: String? = "Storm"
    @Previewable @StateObject var store = NewsStore()
    VStack {
        Titles(store: store)
        Text(selection ?? "none")
        TextField("Title", text: Binding(get: { selection ?? "" }, set: { selection = $0 }))
    }
}
