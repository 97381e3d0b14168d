//: task com.example.tiles.start app-refresh
//: run
//: ends com.example.tiles.start completed
//: says tile of 4 bytes

import BackgroundTasks
import SwiftUI

struct TilesView: View {
    @State private var progress: Double = 0
    @State private var offset = CGSize.zero
    @GestureState private var scale = 1.0

    var body: some View {
        GeometryReader { proxy in
            ZStack(alignment: .bottomTrailing) {
                AsyncImage(url: URL(string: "https://example.com/tile.png")) { phase in
                    switch phase {
                    case .empty: ProgressView()
                    case .success(let image):
                        image.resizable().aspectRatio(contentMode: .fill)
                    case .failure: Image(systemName: "photo")
                    @unknown default: EmptyView()
                    }
                }
                .frame(width: proxy.size.width, height: proxy.size.height)
                .clipShape(RoundedRectangle(cornerRadius: 12, style: .continuous))
                .scaleEffect(scale)
                .offset(offset)
                .gesture(
                    DragGesture()
                        .onChanged { offset = $0.translation }
                        .onEnded { _ in withAnimation(.bouncy) { offset = .zero } }
                        .simultaneously(
                            with: MagnifyGesture().updating($scale) { value, state, _ in
                                state = value.magnification
                            }))
                Circle()
                    .trim(from: 0, to: progress)
                    .stroke(.tint, style: StrokeStyle(lineWidth: 4, lineCap: .round))
                    .rotationEffect(.degrees(-90))
                    .frame(width: 32, height: 32)
            }
        }
        .ignoresSafeArea(edges: .bottom)
        .statusBarHidden()
    }
}

@main
struct TilesApp: App {
    var body: some Scene {
        WindowGroup {
            TilesView()
        }
        .backgroundTask(.appRefresh("com.example.tiles.start")) {
            guard let server = ProcessInfo.processInfo.environment["SAMPLE_SERVER"],
                let url = URL(string: server)?.appending(path: "tile.png")
            else { return }
            do {
                let (data, _) = try await URLSession.shared.data(from: url)
                print("tile of \(data.count) bytes")
            } catch {
                print("failed: \(error)")
            }
        }
        .commands {
            CommandMenu("Tiles") { Button("Reload") {} }
        }
    }
}
