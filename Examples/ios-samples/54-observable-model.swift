//: task com.example.reading.sync app-refresh
//: run
//: ends com.example.reading.sync completed
//: says Synced 2 books

import BackgroundTasks
import Observation
import SwiftUI

struct Book: Identifiable, Codable, Hashable {
    var id = UUID()
    var title: String
    var progress: Double
    var tags: [String] = []
}

@Observable
@MainActor
final class Library {
    var books: [Book] = []
    var lastSync: Date?
    var path = NavigationPath()
    private(set) var isSyncing = false

    func sync() async {
        isSyncing = true
        defer { isSyncing = false }
        try? await Task.sleep(for: .milliseconds(5))
        books = [Book(title: "Dune", progress: 0.5), Book(title: "Emma", progress: 1)]
        lastSync = .now
    }
}

private struct AccentKey: EnvironmentKey {
    static let defaultValue: Color = .orange
}

extension EnvironmentValues {
    var accent: Color {
        get { self[AccentKey.self] }
        set { self[AccentKey.self] = newValue }
    }
}

struct BookRow: View {
    @Bindable var library: Library
    let book: Book
    @Environment(\.accent) private var accent
    @Environment(\.colorScheme) private var colorScheme
    @Environment(\.horizontalSizeClass) private var sizeClass
    @ScaledMetric var imageSize: CGFloat = 40

    var body: some View {
        HStack {
            AsyncImage(url: URL(string: "https://example.com/\(book.id).png")) { phase in
                switch phase {
                case .empty: ProgressView()
                case .success(let image): image.resizable().aspectRatio(contentMode: .fill)
                case .failure: Image(systemName: "book")
                @unknown default: EmptyView()
                }
            }
            .frame(width: imageSize, height: imageSize)
            .clipShape(RoundedRectangle(cornerRadius: 8, style: .continuous))
            .overlay(RoundedRectangle(cornerRadius: 8).stroke(accent, lineWidth: 1))
            .shadow(radius: 2)
            VStack(alignment: .leading) {
                Text(book.title).font(.system(.headline, design: .rounded)).lineLimit(2...3)
                ProgressView(value: book.progress) {
                    Text("Progress")
                } currentValueLabel: {
                    Text(book.progress, format: .percent.precision(.fractionLength(0)))
                }
                ForEach(Array(book.tags.enumerated()), id: \.offset) { index, tag in
                    Text("#\(index) \(tag)").padding(4).background(.ultraThinMaterial, in: .capsule)
                }
            }
            .frame(maxWidth: .infinity, alignment: .leading)
        }
        .contentShape(Rectangle())
        .onTapGesture { library.path.append(book) }
        .accessibilityElement(children: .combine)
        .accessibilityHint("Opens the book")
    }
}

struct LibraryView: View {
    @Environment(Library.self) private var library
    @State private var sort = SortOrder.forward
    @State private var showAdd = false
    @State private var confirm = false
    @State private var editing: Book?

    var body: some View {
        @Bindable var library = library
        NavigationStack(path: $library.path) {
            ScrollViewReader { proxy in
                ScrollView(.vertical, showsIndicators: false) {
                    LazyVStack(alignment: .leading, spacing: 12, pinnedViews: [.sectionHeaders]) {
                        Section {
                            ForEach($library.books) { $book in
                                TextField("Title", text: $book.title)
                                    .textFieldStyle(.roundedBorder)
                                    .keyboardType(.default)
                                    .submitLabel(.done)
                                    .autocorrectionDisabled()
                                    .textInputAutocapitalization(.words)
                                BookRow(library: library, book: book).id(book.id)
                            }
                        } header: {
                            Text("Books").bold()
                        }
                    }
                    Grid(alignment: .leading, horizontalSpacing: 8, verticalSpacing: 8) {
                        GridRow {
                            Text("A"); Text("B")
                        }
                        Divider().gridCellColumns(2)
                    }
                    LazyHGrid(rows: [GridItem(.fixed(10))]) { Text("x") }
                }
                .onChange(of: library.books.count) { old, new in
                    withAnimation(.spring(duration: 0.3)) {
                        proxy.scrollTo(library.books.last?.id, anchor: .bottom)
                    }
                }
            }
            .navigationDestination(for: Book.self) { book in Text(book.title) }
            .safeAreaInset(edge: .bottom) {
                Button {
                    showAdd.toggle()
                } label: {
                    Label("Add", systemImage: "plus").labelStyle(.iconOnly)
                }
                .buttonStyle(.borderedProminent)
                .controlSize(.large)
                .keyboardShortcut("n", modifiers: .command)
            }
            .confirmationDialog("Remove?", isPresented: $confirm, titleVisibility: .visible) {
                Button("Remove", role: .destructive) { library.books.removeAll() }
            }
            .popover(isPresented: $showAdd) { Text("New book").padding() }
            .fullScreenCover(item: $editing) { book in Text(book.title) }
            .toolbar {
                ToolbarItem(placement: .navigationBarLeading) {
                    Menu {
                        Picker("Sort", selection: $sort) {
                            Text("Up").tag(SortOrder.forward)
                            Text("Down").tag(SortOrder.reverse)
                        }
                    } label: {
                        Image(systemName: "arrow.up.arrow.down").font(.title2.weight(.semibold))
                            .foregroundStyle(.tint)
                    }
                }
                if library.isSyncing {
                    ToolbarItem(placement: .status) { ProgressView().controlSize(.mini) }
                }
            }
            .toolbarBackground(.visible, for: .navigationBar)
            .task(id: sort) { await library.sync() }
        }
        .background(
            LinearGradient(colors: [.blue, .clear], startPoint: .top, endPoint: .bottomTrailing)
                .ignoresSafeArea()
        )
        .sensoryFeedback(.success, trigger: library.lastSync)
        .scrollContentBackground(.hidden)
        .fontDesign(.rounded)
    }
}

@main
struct ReadingApp: App {
    @State private var library = Library()

    var body: some Scene {
        WindowGroup {
            TabView {
                Tab("Library", systemImage: "books.vertical") { LibraryView() }
                Tab("Settings", systemImage: "gear") { Text("Settings") }
            }
            .environment(library)
            .environment(\.accent, .purple)
        }
        .backgroundTask(.appRefresh("com.example.reading.sync")) {
            await library.sync()
            print("Synced \(await library.books.count) books")
        }
    }
}
