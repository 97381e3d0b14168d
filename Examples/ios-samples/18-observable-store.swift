//: task com.example.reader.refresh app-refresh
//: run
//: ends com.example.reader.refresh completed
//: says 2 stories

import BackgroundTasks
import Observation
import SwiftUI

struct Story: Identifiable, Codable, Hashable, Sendable {
    let id: Int
    var title: String
    var isFavorite = false
}

@MainActor
@Observable
final class StoryStore {
    static let shared = StoryStore()

    private(set) var stories: [Story] = []
    var query = ""
    var isLoading = false

    var filtered: [Story] {
        query.isEmpty ? stories : stories.filter { $0.title.localizedCaseInsensitiveContains(query) }
    }

    func refresh() async {
        isLoading = true
        defer { isLoading = false }
        try? await Task.sleep(for: .milliseconds(1))
        stories = [Story(id: 1, title: "One"), Story(id: 2, title: "Two")]
    }
}

@main
struct ReaderApp: App {
    @State private var store = StoryStore.shared

    var body: some Scene {
        WindowGroup {
            StoryList()
                .environment(store)
        }
        .backgroundTask(.appRefresh("com.example.reader.refresh")) {
            await StoryStore.shared.refresh()
            let count = await StoryStore.shared.stories.count
            print("\(count) stories")
        }
    }
}

struct StoryList: View {
    @Environment(StoryStore.self) private var store
    @Environment(\.dismiss) private var dismiss
    @State private var selection: Story?

    var body: some View {
        @Bindable var store = store
        NavigationStack {
            List {
                ForEach(store.filtered) { story in
                    NavigationLink(value: story) {
                        StoryRow(story: story)
                    }
                    .swipeActions {
                        Button("Favorite", systemImage: "star") {}
                            .tint(.yellow)
                    }
                }
                .onDelete { offsets in
                    print(offsets.count)
                }
            }
            .searchable(text: $store.query)
            .overlay {
                if store.isLoading { ProgressView() }
            }
            .refreshable { await store.refresh() }
            .task { await store.refresh() }
            .navigationTitle("Stories")
            .navigationDestination(for: Story.self) { story in
                Text(story.title)
            }
            .toolbar {
                ToolbarItem(placement: .topBarTrailing) {
                    Button {
                        Task { await store.refresh() }
                    } label: {
                        Label("Refresh", systemImage: "arrow.clockwise")
                    }
                }
            }
            .sheet(item: $selection) { story in
                Text(story.title)
            }
        }
    }
}

struct StoryRow: View {
    let story: Story

    var body: some View {
        HStack {
            Text(story.title)
                .font(.headline)
                .lineLimit(2)
            Spacer()
            Image(systemName: story.isFavorite ? "star.fill" : "star")
                .foregroundStyle(.yellow)
        }
        .padding(.vertical, 4)
    }
}

#Preview("Stories") {
    StoryList()
        .environment(StoryStore.shared)
}
