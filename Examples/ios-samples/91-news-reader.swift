//: task com.example.reader.refresh app-refresh
//: run
//: ends com.example.reader.refresh completed
//: says 3 articles, 1 about swift

import BackgroundTasks
import SwiftUI

struct Article: Identifiable, Hashable, Codable, Sendable {
    let id: Int
    let title: String
    let summary: String

    static let activityType = "com.example.reader.article"
}

@MainActor @Observable
final class Reader {
    private(set) var articles: [Article] = []
    var searchText = ""

    var results: [Article] {
        searchText.isEmpty
            ? articles : articles.filter { $0.title.localizedStandardContains(searchText) }
    }

    func refresh() async {
        try? await Task.sleep(for: .milliseconds(5))
        articles = ["Swift 6", "Linux", "Background tasks"].enumerated().map {
            Article(id: $0.offset, title: $0.element, summary: "About \($0.element)")
        }
    }
}

struct ArticleCard: View {
    let article: Article

    var body: some View {
        VStack(alignment: .leading) {
            Text(article.title).font(.title2.bold())
            Text(article.summary).foregroundStyle(.secondary)
        }
        .padding()
        .containerRelativeFrame(.horizontal, count: 5, span: 4, spacing: 12)
        .background(.thinMaterial, in: .rect(cornerRadius: 16))
        .scrollTransition(.interactive.threshold(.visible(0.5)), axis: .horizontal) {
            content, phase in
            content
                .opacity(phase.isIdentity ? 1 : 0.4)
                .scaleEffect(phase.isIdentity ? 1 : 0.9)
                .rotationEffect(.degrees(phase.value * 5))
        }
        .visualEffect { content, proxy in
            content.offset(y: proxy.frame(in: .scrollView).minX / -20)
        }
        .userActivity(Article.activityType) { activity in
            activity.title = article.title
            activity.isEligibleForHandoff = true
        }
    }
}

struct ReaderView: View {
    @State private var reader = Reader()
    @State private var isGrid = false

    var body: some View {
        NavigationStack {
            ScrollView(.horizontal) {
                LazyHStack {
                    ForEach(reader.results) { ArticleCard(article: $0) }
                }
                .scrollTargetLayout()
            }
            .scrollTargetBehavior(.viewAligned)
            .searchable(text: $reader.searchText)
            .onSubmit(of: .search) { Task { await reader.refresh() } }
            .onSubmit { print("submitted") }
            .toolbar { toolbarContent }
            .handlesExternalEvents(preferring: ["article"], allowing: ["*"])
            .onContinueUserActivity(Article.activityType) { print($0.title ?? "") }
            .task { await reader.refresh() }
        }
    }

    @ToolbarContentBuilder
    private var toolbarContent: some ToolbarContent {
        ToolbarItem(placement: .topBarTrailing) {
            Toggle("Grid", systemImage: "square.grid.2x2", isOn: $isGrid)
        }
        ReaderToolbar(count: reader.results.count)
    }
}

struct ReaderToolbar: ToolbarContent {
    let count: Int

    var body: some ToolbarContent {
        ToolbarItemGroup(placement: .bottomBar) {
            Spacer()
            Text("\(count) articles")
        }
    }
}

@main
struct ReaderApp: App {
    var body: some Scene {
        WindowGroup { ReaderView() }
            .backgroundTask(.appRefresh("com.example.reader.refresh")) {
                let reader = await Reader()
                await reader.refresh()
                let count = await reader.articles.count
                await MainActor.run { reader.searchText = "swift" }
                print("\(count) articles, \(await reader.results.count) about swift")
            }
    }
}
