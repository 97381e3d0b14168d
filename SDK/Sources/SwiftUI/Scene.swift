// SPDX-License-Identifier: Apache-2.0

/// A part of an app with a separate life cycle. Scenes are composed in the `body` of an `App`; here
/// they only carry handlers.
@MainActor @preconcurrency
public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }
}

extension Never: Scene {}

/// A scene of this module, without a body.
@MainActor
protocol PrimitiveScene: Scene where Body == Never {
    /// Adds the handlers of this scene and those inside it.
    func collect(into contents: inout SceneContents)
}

extension PrimitiveScene {
    public var body: Never {
        fatalError("\(Self.self) has no body. Compose scenes; do not ask one for its body.")
    }
}

/// The handlers of an app's scenes, in source order.
@MainActor
struct SceneContents {
    var backgroundTasks: [BackgroundTaskHandler] = []
    var changes: [WatchedValue] = []

    init(_ scene: some Scene) {
        add(scene)
    }

    mutating func add(_ scene: some Scene) {
        if let primitive = scene as? any PrimitiveScene {
            primitive.collect(into: &self)
        } else {
            add(scene.body)
        }
    }
}

/// Builds the body of an app from one or more scenes.
@resultBuilder @MainActor @preconcurrency
public enum SceneBuilder {
    public static func buildExpression<Content: Scene>(_ content: Content) -> Content {
        content
    }

    public static func buildBlock<each Content: Scene>(
        _ content: repeat each Content
    ) -> some Scene {
        SceneList(content: (repeat each content))
    }

    public static func buildLimitedAvailability(_ scene: some Scene) -> some Scene {
        scene
    }
}

struct SceneList<each Content: Scene>: PrimitiveScene {
    let content: (repeat each Content)

    func collect(into contents: inout SceneContents) {
        repeat contents.add(each content)
    }
}

/// A window that is never opened: `content` is never evaluated.
public struct WindowGroup<Content: View>: PrimitiveScene {
    public init(@ViewBuilder content: @escaping () -> Content) {}
    public init(id: String, @ViewBuilder content: @escaping () -> Content) {}
    public init(_ title: String, @ViewBuilder content: @escaping () -> Content) {}
    public init(_ title: String, id: String, @ViewBuilder content: @escaping () -> Content) {}

    public init<Value: Codable & Hashable>(
        for type: Value.Type, @ViewBuilder content: @escaping (Binding<Value?>) -> Content
    ) {}
    public init<Value: Codable & Hashable>(
        id: String, for type: Value.Type,
        @ViewBuilder content: @escaping (Binding<Value?>) -> Content
    ) {}

    func collect(into contents: inout SceneContents) {}
}

/// A window that is never opened: `content` is never evaluated.
public struct Window<Content: View>: PrimitiveScene {
    public init(_ title: String, id: String, @ViewBuilder content: @escaping () -> Content) {}

    func collect(into contents: inout SceneContents) {}
}

/// Settings that are never opened.
public struct Settings<Content: View>: PrimitiveScene {
    public init(@ViewBuilder content: @escaping () -> Content) {}

    func collect(into contents: inout SceneContents) {}
}

/// A scene without a window, for plugins that were never an iOS app. Beyond Apple's framework.
public struct BackgroundScene: PrimitiveScene {
    public init() {}

    func collect(into contents: inout SceneContents) {}
}
