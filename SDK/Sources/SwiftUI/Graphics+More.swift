// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Further shapes, styles and colours. Nothing is drawn.

extension Shape {
    public func stroke(_ style: some ShapeStyle, style stroke: StrokeStyle) -> some Shape { self }
    public func strokeBorder(_ style: some ShapeStyle, lineWidth: CGFloat = 1) -> some View {
        self
    }
    public func strokeBorder(_ color: Color, style: StrokeStyle) -> some View { self }
    public func strokeBorder(_ style: some ShapeStyle, style stroke: StrokeStyle) -> some View {
        self
    }
    public func strokeBorder(lineWidth: CGFloat = 1) -> some View { self }
    public func fill(_ color: Color, style: FillStyle) -> some Shape { self }
    public func fill(style: FillStyle) -> some Shape { self }
    public func rotation(_ angle: Angle, anchor: UnitPoint = .center) -> some Shape { self }
    public func scale(_ scale: CGFloat, anchor: UnitPoint = .center) -> some Shape { self }
    public func size(width: CGFloat, height: CGFloat) -> some Shape { self }
}

/// A shape with an inset for a border.
public protocol InsettableShape: Shape {
    associatedtype InsetShape: InsettableShape
    func inset(by amount: CGFloat) -> InsetShape
}

extension Rectangle: InsettableShape {}
extension Circle: InsettableShape {}
extension Capsule: InsettableShape {}
extension Ellipse: InsettableShape {}
extension RoundedRectangle: InsettableShape {
    public init(cornerSize: CGSize, style: RoundedCornerStyle = .continuous) {
        self.init(cornerRadius: cornerSize.width, style: style)
    }
}

/// A type-erased shape.
public struct AnyShape: Shape, Sendable {
    public nonisolated init(_ shape: some Shape) {}
}

/// A shape that follows the corners of its container.
public struct ContainerRelativeShape: InsettableShape {
    public nonisolated init() {}
}

extension Shape where Self == ContainerRelativeShape {
    public static var containerRelative: ContainerRelativeShape { ContainerRelativeShape() }
}

extension Path {
    public nonisolated init(roundedRect rect: CGRect, cornerSize: CGSize) {
        self.init()
    }
    public nonisolated var isEmpty: Bool { true }
    public nonisolated var boundingRect: CGRect { .zero }
    public nonisolated var currentPoint: CGPoint? { nil }
    public nonisolated mutating func addRoundedRect(
        in rect: CGRect, cornerSize: CGSize, style: RoundedCornerStyle = .continuous
    ) {}
    public nonisolated mutating func addRects(_ rects: [CGRect]) {}
    public nonisolated mutating func addPath(_ path: Path) {}
    public nonisolated mutating func addRelativeArc(
        center: CGPoint, radius: CGFloat, startAngle: Angle, delta: Angle
    ) {}
    public nonisolated func contains(_ p: CGPoint, eoFill: Bool = false) -> Bool { false }
    public nonisolated func offsetBy(dx: CGFloat, dy: CGFloat) -> Path { self }
    public nonisolated func strokedPath(_ style: StrokeStyle) -> Path { self }
    public nonisolated func trimmedPath(from: CGFloat, to: CGFloat) -> Path { self }
}

/// A type-erased style.
public struct AnyShapeStyle: ShapeStyle, Sendable {
    public init(_ style: some ShapeStyle) {}
}

/// A blurred background.
public struct Material: ShapeStyle, Sendable {
    public static let ultraThin = Material()
    public static let thin = Material()
    public static let regular = Material()
    public static let thick = Material()
    public static let ultraThick = Material()
    public static let bar = Material()
}

/// Levels of the current style.
public struct HierarchicalShapeStyle: ShapeStyle, Sendable {
    public static let primary = Self()
    public static let secondary = Self()
    public static let tertiary = Self()
    public static let quaternary = Self()
}

/// An elliptical gradient.
public struct EllipticalGradient: ShapeStyle, PrimitiveView {
    public init(
        colors: [Color], center: UnitPoint = .center, startRadiusFraction: CGFloat = 0,
        endRadiusFraction: CGFloat = 0.5
    ) {}
    public init(
        gradient: Gradient, center: UnitPoint = .center, startRadiusFraction: CGFloat = 0,
        endRadiusFraction: CGFloat = 0.5
    ) {}
}

/// Colours on a grid.
public struct MeshGradient: ShapeStyle, PrimitiveView {
    public init(
        width: Int, height: Int, points: [SIMD2<Float>], colors: [Color],
        background: Color = .clear, smoothsColors: Bool = true
    ) {}
}

extension AngularGradient {
    public init(
        gradient: Gradient, center: UnitPoint, startAngle: Angle, endAngle: Angle
    ) {
        self.init(gradient: gradient, center: center)
    }
}

extension Color {
    /// The colour space of RGB components.
    public enum RGBColorSpace: Hashable, Sendable {
        case sRGB, sRGBLinear, displayP3
    }

    public nonisolated init(
        hue: Double, saturation: Double, brightness: Double, opacity: Double = 1
    ) {
        self.init(white: brightness, opacity: opacity)
    }
    public nonisolated init(
        _ colorSpace: RGBColorSpace, red: Double, green: Double, blue: Double, opacity: Double = 1
    ) {
        self.init(red: red, green: green, blue: blue, opacity: opacity)
    }
    public nonisolated init(_ colorSpace: RGBColorSpace, white: Double, opacity: Double = 1) {
        self.init(white: white, opacity: opacity)
    }
    public nonisolated init(cgColor: CGColor) {
        self.init(white: 0)
    }

    public nonisolated static var ultraThickMaterial: Color { primary }
    public nonisolated static var windowBackground: Color { primary }
    public nonisolated var cgColor: CGColor? { nil }
    public nonisolated var quinary: Color { self }
    public nonisolated func mix(with color: Color, by fraction: Double) -> Color { self }
    public nonisolated func shadow(_ style: ShadowStyle) -> Color { self }
}

/// A shadow.
public struct ShadowStyle: Equatable, Sendable {
    public static func drop(
        color: Color = .black, radius: CGFloat, x: CGFloat = 0, y: CGFloat = 0
    ) -> ShadowStyle { ShadowStyle() }
    public static func inner(
        color: Color = .black, radius: CGFloat, x: CGFloat = 0, y: CGFloat = 0
    ) -> ShadowStyle { ShadowStyle() }
}
