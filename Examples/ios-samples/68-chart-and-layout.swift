//: task com.example.charts.process processing
//: run
//: ends com.example.charts.process completed
//: says Binned 100 samples into 10 bars, no picture

import BackgroundTasks
import SwiftUI

struct Bar: Identifiable, Hashable, Sendable {
    let id: Int
    let height: Double
}

actor Binner {
    private(set) var bars: [Bar] = []

    func bin(_ samples: [Double], into count: Int) {
        bars = (0..<count).map { index in
            let here = samples.filter { Int($0 * Double(count)) == index }
            return Bar(id: index, height: Double(here.count) / Double(samples.count))
        }
    }
}

struct BarChart: View {
    let bars: [Bar]

    var body: some View {
        Canvas { context, size in
            let width = size.width / CGFloat(max(1, bars.count))
            for bar in bars {
                let height = size.height * bar.height
                let rect = CGRect(
                    x: CGFloat(bar.id) * width, y: size.height - height, width: width - 2,
                    height: height)
                context.fill(Path(roundedRect: rect, cornerRadius: 2), with: .color(.blue))
            }
            context.opacity = 0.5
            context.draw(Text("Samples").font(.caption), at: .zero, anchor: .topLeading)
        }
        .drawingGroup()
        .accessibilityElement(children: .ignore)
    }
}

struct FlowLayout: Layout {
    var spacing: CGFloat = 8

    func sizeThatFits(
        proposal: ProposedViewSize, subviews: Subviews, cache: inout ()
    ) -> CGSize {
        let width = proposal.replacingUnspecifiedDimensions().width
        let sizes = subviews.map { $0.sizeThatFits(.unspecified) }
        return CGSize(width: width, height: sizes.map(\.height).max() ?? 0)
    }

    func placeSubviews(
        in bounds: CGRect, proposal: ProposedViewSize, subviews: Subviews, cache: inout ()
    ) {
        var x = bounds.minX
        for subview in subviews {
            let size = subview.sizeThatFits(.unspecified)
            subview.place(at: CGPoint(x: x, y: bounds.minY), proposal: ProposedViewSize(size))
            x += size.width + spacing
        }
    }
}

struct Wave: Shape {
    var phase: Double
    var animatableData: Double {
        get { phase }
        set { phase = newValue }
    }

    func path(in rect: CGRect) -> Path {
        var path = Path()
        path.move(to: CGPoint(x: rect.minX, y: rect.midY))
        for x in stride(from: rect.minX, through: rect.maxX, by: 4) {
            path.addLine(to: CGPoint(x: x, y: rect.midY + sin(x + phase) * 10))
        }
        return path
    }
}

struct ChartScreen: View {
    @State private var bars: [Bar] = []
    @State private var position: Int?
    @State private var offset: CGFloat = 0
    @State private var image: UIImage?

    var body: some View {
        ScrollView(.horizontal) {
            LazyHStack {
                ForEach(bars) { bar in
                    GeometryReader { proxy in
                        let frame = proxy.frame(in: .named("scroll"))
                        Rectangle()
                            .fill(.blue.gradient)
                            .stroke(.primary, lineWidth: 1)
                            .offset(y: frame.minX / 10 + proxy.frame(in: .global).minY)
                    }
                    .containerRelativeFrame(.horizontal, count: 3, spacing: 8)
                    .alignmentGuide(.bottom) { $0.height / 2 }
                }
            }
            .scrollTargetLayout()
        }
        .scrollTargetBehavior(.viewAligned)
        .scrollPosition(id: $position)
        .coordinateSpace(name: "scroll")
        .safeAreaPadding(.horizontal)
        .background(Color(.sRGB, red: 0.1, green: 0.1, blue: 0.2, opacity: 1))
        .background(BarChart(bars: bars), alignment: .bottom)
        FlowLayout(spacing: 4) {
            Image(systemName: "speaker.wave.3", variableValue: 0.5)
                .contentTransition(.symbolEffect(.replace))
                .symbolEffect(.variableColor.iterative, options: .repeating)
            Menu {
                Button("Export", systemImage: "square.and.arrow.up") {}
            } label: {
                Text("More").glassEffect(.regular.interactive(), in: .capsule)
            } primaryAction: {
                image = ImageRenderer(content: BarChart(bars: bars)).uiImage
            }
            TextField("Name", text: .constant(""), onCommit: {})
        }
        Wave(phase: offset)
            .stroke(
                .linearGradient(colors: [.blue, .clear], startPoint: .top, endPoint: .bottom),
                style: StrokeStyle(lineWidth: 2, lineCap: .round)
            )
            .draggable("wave")
            .dropDestination(for: String.self) { names, _ in !names.isEmpty }
            .onGeometryChange(for: CGFloat.self) {
                $0.size.width
            } action: {
                offset = $0
            }
            .modifier(EmptyModifier())
            .presentationBackground(.thinMaterial)
    }
}

@main
struct ChartsApp: App {
    @UIApplicationDelegateAdaptor(ChartsDelegate.self) private var delegate

    var body: some Scene {
        WindowGroup { ChartScreen().widgetURL(URL(string: "charts://open")) }
    }
}

final class ChartsDelegate: NSObject, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.charts.process", using: .main
        ) { task in
            Task { @MainActor in
                let binner = Binner()
                await binner.bin((0..<100).map { Double($0) / 100 }, into: 10)
                let bars = await binner.bars
                let picture = ImageRenderer(content: BarChart(bars: bars)).uiImage?.pngData()
                let outcome = picture.map { "\($0.count) bytes" } ?? "no picture"
                print("Binned 100 samples into \(bars.count) bars, \(outcome)")
                task.setTaskCompleted(success: bars.count == 10)
            }
        }
        return true
    }
}
