//: task com.example.bookmarks.refresh app-refresh
//: run
//: ends com.example.bookmarks.refresh completed
//: says 2 bookmarks

import BackgroundTasks
import SwiftUI

struct Bookmark: Identifiable, Hashable, Sendable {
    let id: Int
    let title: String
    let url: URL

    static let all = [
        Bookmark(id: 1, title: "Swift", url: URL(string: "https://swift.org")!),
        Bookmark(id: 2, title: "Linux", url: URL(string: "https://kernel.org")!),
    ]
}

struct HeightKey: PreferenceKey {
    static let defaultValue: CGFloat = 0
    static func reduce(value: inout CGFloat, nextValue: () -> CGFloat) { value = max(value, nextValue()) }
}

struct BookmarksView: View {
    @State private var editMode = EditMode.inactive
    @State private var count = 3
    @State private var isDeleting = false
    let bookmarks = Bookmark.all

    var body: some View {
        NavigationStack {
            List(bookmarks) { bookmark in
                NavigationLink(bookmark.title, value: bookmark)
                DisclosureGroup(bookmark.title) {
                    LabeledContent(bookmark.title, value: bookmark.url.absoluteString)
                    Link(bookmark.title, destination: bookmark.url)
                    Stepper(bookmark.title, value: $count, in: 1...10)
                    ProgressView(bookmark.title, value: 0.5)
                }
            }
            .environment(\.editMode, $editMode)
            .background(GeometryReader { Color.clear.preference(key: HeightKey.self, value: $0.size.height) })
            .onPreferenceChange(HeightKey.self) { print("height \($0)") }
            .confirmationDialog(bookmarks[0].title, isPresented: $isDeleting) {
                Button("Delete", role: .destructive) {}
            }
            .toolbar {
                Menu("Sort", systemImage: "arrow.up.arrow.down") {
                    Button("By title") {}
                }
                Menu(bookmarks[0].title) { EditButton() }
            }
        }
    }
}

struct BookmarksView_Previews: PreviewProvider {
    static var previews: some View { BookmarksView().previewDevice("iPhone 16") }
}

@main
struct BookmarksApp: App {
    var body: some Scene {
        WindowGroup { BookmarksView() }
            .backgroundTask(.appRefresh("com.example.bookmarks.refresh")) {
                print("\(Bookmark.all.count) bookmarks")
            }
    }
}
