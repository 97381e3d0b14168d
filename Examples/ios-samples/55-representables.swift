//: task com.example.web.prefetch app-refresh
//: run
//: ends com.example.web.prefetch completed
//: says Prefetched

import BackgroundTasks
import SwiftUI
import UIKit

struct ActivityView: UIViewControllerRepresentable {
    let items: [Any]

    func makeUIViewController(context: Context) -> UIActivityViewController {
        UIActivityViewController(activityItems: items, applicationActivities: nil)
    }

    func updateUIViewController(_ controller: UIActivityViewController, context: Context) {}
}

struct Spinner: UIViewRepresentable {
    @Binding var isAnimating: Bool

    final class Coordinator: NSObject {
        var parent: Spinner
        init(_ parent: Spinner) { self.parent = parent }
    }

    func makeCoordinator() -> Coordinator { Coordinator(self) }

    func makeUIView(context: Context) -> UIActivityIndicatorView {
        let view = UIActivityIndicatorView(style: .large)
        view.color = .systemBlue
        return view
    }

    func updateUIView(_ view: UIActivityIndicatorView, context: Context) {
        isAnimating ? view.startAnimating() : view.stopAnimating()
    }
}

struct CardModifier: ViewModifier {
    var radius: CGFloat = 12
    func body(content: Content) -> some View {
        content
            .padding()
            .background(
                Color(.secondarySystemBackground), in: RoundedRectangle(cornerRadius: radius)
            )
            .overlay(alignment: .topTrailing) { Circle().fill(.red).frame(width: 8, height: 8) }
    }
}

struct PrimaryButtonStyle: ButtonStyle {
    @Environment(\.isEnabled) private var isEnabled
    func makeBody(configuration: Configuration) -> some View {
        configuration.label
            .padding()
            .background(isEnabled ? Color.accentColor : Color.gray)
            .scaleEffect(configuration.isPressed ? 0.95 : 1)
            .rotationEffect(.degrees(configuration.isPressed ? 1 : 0))
            .animation(.easeOut(duration: 0.1), value: configuration.isPressed)
    }
}

extension View {
    func card() -> some View { modifier(CardModifier()) }

    @ViewBuilder
    func `if`<Content: View>(_ condition: Bool, transform: (Self) -> Content) -> some View {
        if condition { transform(self) } else { self }
    }
}

struct Ring: Shape {
    var progress: Double
    func path(in rect: CGRect) -> Path {
        var path = Path()
        path.addArc(
            center: CGPoint(x: rect.midX, y: rect.midY), radius: rect.width / 2,
            startAngle: .degrees(-90), endAngle: .degrees(360 * progress - 90), clockwise: false)
        return path
    }
}

struct ContentView: View {
    @State private var isLoading = false
    @GestureState private var offset = CGSize.zero
    @State private var showShare = false

    var body: some View {
        VStack {
            Spinner(isAnimating: $isLoading)
            Ring(progress: 0.3).stroke(
                Color.green, style: StrokeStyle(lineWidth: 4, lineCap: .round))
            Circle().trim(from: 0, to: 0.5).stroke(.tint, lineWidth: 3).rotationEffect(
                .degrees(-90))
            Button("Load") { isLoading.toggle() }
                .buttonStyle(PrimaryButtonStyle())
                .disabled(isLoading)
            Text("Drag").card()
                .offset(offset)
                .gesture(
                    DragGesture().updating($offset) { value, state, _ in state = value.translation }
                )
                .if(isLoading) { $0.redacted(reason: .placeholder) }
            TimelineView(.periodic(from: .now, by: 1)) { context in
                Text(context.date, style: .time)
            }
        }
        .sheet(isPresented: $showShare) { ActivityView(items: ["text"]) }
        .onReceive(
            NotificationCenter.default.publisher(for: UIApplication.willEnterForegroundNotification)
        ) { _ in
            isLoading = true
        }
        .statusBarHidden()
        .edgesIgnoringSafeArea(.all)
    }
}

@main
struct WebApp: App {
    @UIApplicationDelegateAdaptor(AppDelegate.self) var appDelegate

    var body: some Scene {
        WindowGroup { ContentView().preferredColorScheme(.dark) }
            .commands { CommandGroup(replacing: .newItem) {} }
    }
}

class AppDelegate: NSObject, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.web.prefetch", using: nil
        ) { task in
            print("Prefetched")
            task.setTaskCompleted(success: true)
        }
        return true
    }

    func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        let configuration = UISceneConfiguration(
            name: nil, sessionRole: connectingSceneSession.role)
        if let shortcut = options.shortcutItem { print(shortcut.type) }
        configuration.delegateClass = SceneDelegate.self
        return configuration
    }
}

class SceneDelegate: NSObject, UIWindowSceneDelegate {
    func windowScene(
        _ windowScene: UIWindowScene, performActionFor shortcutItem: UIApplicationShortcutItem,
        completionHandler: @escaping (Bool) -> Void
    ) {
        completionHandler(true)
    }
}
