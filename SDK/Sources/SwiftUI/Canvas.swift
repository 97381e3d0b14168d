// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Drawing by the app's code, which is never called.

/// A view for drawing. The renderer is never called.
public struct Canvas: PrimitiveView {
    public init(
        opaque: Bool = false, colorMode: ColorRenderingMode = .nonLinear,
        rendersAsynchronously: Bool = false,
        renderer: @escaping (inout GraphicsContext, CGSize) -> Void
    ) {}
    public init(
        opaque: Bool = false, colorMode: ColorRenderingMode = .nonLinear,
        rendersAsynchronously: Bool = false,
        renderer: @escaping (inout GraphicsContext, CGSize) -> Void,
        @ViewBuilder symbols: () -> some View
    ) {}
}

public enum ColorRenderingMode: Hashable, Sendable {
    case nonLinear, linear, extendedLinear
}

/// Draws nothing.
public struct GraphicsContext {
    /// The colour or pattern for drawing.
    public struct Shading {
        public static func color(_ color: Color) -> Shading { Shading() }
        public static func color(
            _ colorSpace: Color.RGBColorSpace = .sRGB, red: Double, green: Double, blue: Double,
            opacity: Double = 1
        ) -> Shading { Shading() }
        public static func style(_ style: some ShapeStyle) -> Shading { Shading() }
        public static func linearGradient(
            _ gradient: Gradient, startPoint: CGPoint, endPoint: CGPoint
        ) -> Shading { Shading() }
        public static func radialGradient(
            _ gradient: Gradient, center: CGPoint, startRadius: CGFloat, endRadius: CGFloat
        ) -> Shading { Shading() }
        public static var foreground: Shading { Shading() }
        public static var background: Shading { Shading() }
    }

    /// A filter for drawing.
    public struct Filter {
        public static func blur(radius: CGFloat) -> Filter { Filter() }
        public static func shadow(
            color: Color = .black, radius: CGFloat, x: CGFloat = 0, y: CGFloat = 0
        ) -> Filter { Filter() }
    }

    /// A text of no size.
    public struct ResolvedText {
        public var shading = Shading.foreground

        public func measure(in size: CGSize) -> CGSize { .zero }
    }

    /// An image of no size.
    public struct ResolvedImage {
        public var size: CGSize { .zero }
        public var shading: Shading?
    }

    /// A view of no size.
    public struct ResolvedSymbol {
        public var size: CGSize { .zero }
    }

    public var opacity = 1.0
    public var blendMode = BlendMode.normal
    public var clipBoundingRect: CGRect { .zero }

    public func fill(_ path: Path, with shading: Shading, style: FillStyle = FillStyle()) {}
    public func stroke(_ path: Path, with shading: Shading, lineWidth: CGFloat = 1) {}
    public func stroke(_ path: Path, with shading: Shading, style: StrokeStyle) {}
    public mutating func clip(to path: Path, style: FillStyle = FillStyle()) {}
    public mutating func addFilter(_ filter: Filter) {}
    public mutating func translateBy(x: CGFloat, y: CGFloat) {}
    public mutating func scaleBy(x: CGFloat, y: CGFloat) {}
    public mutating func rotate(by angle: Angle) {}
    public func drawLayer(content: (inout GraphicsContext) throws -> Void) rethrows {}
    public func resolve(_ text: Text) -> ResolvedText { ResolvedText() }
    public func resolve(_ image: Image) -> ResolvedImage { ResolvedImage() }
    public func resolveSymbol(id: some Hashable) -> ResolvedSymbol? { nil }
    public func draw(_ text: Text, in rect: CGRect) {}
    public func draw(_ text: Text, at point: CGPoint, anchor: UnitPoint = .center) {}
    public func draw(_ text: ResolvedText, in rect: CGRect) {}
    public func draw(_ text: ResolvedText, at point: CGPoint, anchor: UnitPoint = .center) {}
    public func draw(_ image: Image, in rect: CGRect) {}
    public func draw(_ image: Image, at point: CGPoint, anchor: UnitPoint = .center) {}
    public func draw(_ image: ResolvedImage, in rect: CGRect) {}
    public func draw(_ image: ResolvedImage, at point: CGPoint, anchor: UnitPoint = .center) {}
    public func draw(_ symbol: ResolvedSymbol, at point: CGPoint, anchor: UnitPoint = .center) {}
}

/// Renders a view into an image: always nil.
@MainActor
public final class ImageRenderer<Content: View>: ObservableObject {
    public var content: Content
    public var proposedSize = ProposedViewSize.unspecified
    public var scale: CGFloat = 1
    public var isOpaque = false
    public var colorMode = ColorRenderingMode.nonLinear

    public init(content: Content) {
        self.content = content
    }

    public var uiImage: UIImage? { nil }
    public var cgImage: CGImage? { nil }
}
