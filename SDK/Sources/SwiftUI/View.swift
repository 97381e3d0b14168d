// SPDX-License-Identifier: Apache-2.0

/// The content of a window. A plugin shows nothing: views only exist so that apps compile, and
/// their bodies are never evaluated.
@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public typealias Body = Never

    public var body: Never {
        fatalError("Never has no body.")
    }
}

/// A view of this module, without a body.
public protocol PrimitiveView: View where Body == Never {}

extension PrimitiveView {
    public var body: Never {
        fatalError("\(Self.self) has no body. bgrun draws nothing; do not ask a view for its body.")
    }
}

/// An empty view.
public struct EmptyView: PrimitiveView {
    public nonisolated init() {}
}

/// A group of views.
public struct TupleView<each Content: View>: PrimitiveView {
    let content: (repeat each Content)
}

/// One of two views.
public enum ConditionalView<First: View, Second: View>: PrimitiveView {
    case first(First)
    case second(Second)
}

extension Optional: View where Wrapped: View {
    public var body: Never {
        fatalError("An optional view has no body. bgrun draws nothing.")
    }
}

/// Builds the body of a view.
@resultBuilder @MainActor @preconcurrency
public enum ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content {
        content
    }

    public static func buildBlock() -> EmptyView {
        EmptyView()
    }

    public static func buildBlock<Content: View>(_ content: Content) -> Content {
        content
    }

    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<repeat each Content> {
        TupleView(content: (repeat each content))
    }

    public static func buildIf<Content: View>(_ content: Content?) -> Content? {
        content
    }

    public static func buildEither<First: View, Second: View>(
        first: First
    ) -> ConditionalView<First, Second> {
        .first(first)
    }

    public static func buildEither<First: View, Second: View>(
        second: Second
    ) -> ConditionalView<First, Second> {
        .second(second)
    }

    public static func buildLimitedAvailability<Content: View>(_ content: Content) -> AnyView {
        AnyView(content)
    }
}
