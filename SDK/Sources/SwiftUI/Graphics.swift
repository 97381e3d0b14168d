// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Values for drawing. Nothing is drawn.

/// The fill of a shape.
public protocol ShapeStyle {}

extension Color: ShapeStyle {
    public nonisolated static var fill: Color { primary }
    public nonisolated static var selection: Color { primary }
    public nonisolated static var placeholder: Color { primary }
    public nonisolated static var separator: Color { primary }
    public nonisolated static func linearGradient(
        colors: [Color], startPoint: UnitPoint, endPoint: UnitPoint
    ) -> Color { primary }

    public nonisolated var secondary: Color { self }
    public nonisolated var tertiary: Color { self }
    public nonisolated var quaternary: Color { self }
}

/// A point in a view, from 0 to 1.
public struct UnitPoint: Hashable, Sendable {
    public var x: CGFloat
    public var y: CGFloat

    public init(x: CGFloat = 0, y: CGFloat = 0) {
        self.x = x
        self.y = y
    }

    public static let zero = UnitPoint()
    public static let center = UnitPoint(x: 0.5, y: 0.5)
    public static let leading = UnitPoint(x: 0, y: 0.5)
    public static let trailing = UnitPoint(x: 1, y: 0.5)
    public static let top = UnitPoint(x: 0.5, y: 0)
    public static let bottom = UnitPoint(x: 0.5, y: 1)
    public static let topLeading = UnitPoint(x: 0, y: 0)
    public static let topTrailing = UnitPoint(x: 1, y: 0)
    public static let bottomLeading = UnitPoint(x: 0, y: 1)
    public static let bottomTrailing = UnitPoint(x: 1, y: 1)
}

/// An angle.
public struct Angle: Hashable, Comparable, Sendable {
    public var radians: Double
    public var degrees: Double {
        get { radians * 180 / .pi }
        set { radians = newValue * .pi / 180 }
    }

    public init(radians: Double = 0) {
        self.radians = radians
    }

    public init(degrees: Double) {
        radians = degrees * .pi / 180
    }

    public static let zero = Angle()
    public static func degrees(_ degrees: Double) -> Angle { Angle(degrees: degrees) }
    public static func radians(_ radians: Double) -> Angle { Angle(radians: radians) }
    public static func < (left: Angle, right: Angle) -> Bool { left.radians < right.radians }
}

/// A list of colours.
public struct Gradient: ShapeStyle, Hashable, Sendable {
    /// A colour at a position.
    public struct Stop: Hashable, Sendable {
        public var color: Color
        public var location: CGFloat

        public init(color: Color, location: CGFloat) {
            self.color = color
            self.location = location
        }
    }

    public var stops: [Stop]

    public init(stops: [Stop]) {
        self.stops = stops
    }

    public init(colors: [Color]) {
        let last = max(1, colors.count - 1)
        stops = colors.enumerated().map {
            Stop(color: $1, location: CGFloat($0) / CGFloat(last))
        }
    }
}

/// A gradient along a line.
public struct LinearGradient: ShapeStyle, PrimitiveView {
    public init(colors: [Color], startPoint: UnitPoint, endPoint: UnitPoint) {}
    public init(gradient: Gradient, startPoint: UnitPoint, endPoint: UnitPoint) {}
    public init(stops: [Gradient.Stop], startPoint: UnitPoint, endPoint: UnitPoint) {}
}

/// A gradient around a point.
public struct RadialGradient: ShapeStyle, PrimitiveView {
    public init(
        colors: [Color], center: UnitPoint, startRadius: CGFloat, endRadius: CGFloat
    ) {}
    public init(
        gradient: Gradient, center: UnitPoint, startRadius: CGFloat, endRadius: CGFloat
    ) {}
}

/// A gradient along a circle.
public struct AngularGradient: ShapeStyle, PrimitiveView {
    public init(
        colors: [Color], center: UnitPoint, startAngle: Angle = .zero, endAngle: Angle = .zero
    ) {}
    public init(gradient: Gradient, center: UnitPoint, angle: Angle = .zero) {}
}

/// The style of a line.
public struct StrokeStyle: Hashable, Sendable {
    /// The end of a line.
    public enum LineCap: Hashable, Sendable {
        case butt, round, square
    }

    /// The join of two lines.
    public enum LineJoin: Hashable, Sendable {
        case miter, round, bevel
    }

    public var lineWidth: CGFloat

    public init(
        lineWidth: CGFloat = 1, lineCap: LineCap = .butt, lineJoin: LineJoin = .miter,
        miterLimit: CGFloat = 10, dash: [CGFloat] = [], dashPhase: CGFloat = 0
    ) {
        self.lineWidth = lineWidth
    }
}

/// The style of rounded corners.
public enum RoundedCornerStyle: Sendable {
    case circular, continuous
}

/// A path, whose lines are not stored.
public struct Path: Shape, Sendable {
    public nonisolated init() {}
    public nonisolated init(_ rect: CGRect) {}
    public nonisolated init(ellipseIn rect: CGRect) {}
    public nonisolated init(roundedRect rect: CGRect, cornerRadius: CGFloat) {}
    /// Calls `callback`.
    public nonisolated init(_ callback: (inout Path) -> Void) {
        callback(&self)
    }

    public nonisolated mutating func move(to end: CGPoint) {}
    public nonisolated mutating func addLine(to end: CGPoint) {}
    public nonisolated mutating func addLines(_ lines: [CGPoint]) {}
    public nonisolated mutating func addRect(_ rect: CGRect) {}
    public nonisolated mutating func addEllipse(in rect: CGRect) {}
    public nonisolated mutating func addArc(
        center: CGPoint, radius: CGFloat, startAngle: Angle, endAngle: Angle, clockwise: Bool
    ) {}
    public nonisolated mutating func addCurve(
        to end: CGPoint, control1: CGPoint, control2: CGPoint
    ) {}
    public nonisolated mutating func addQuadCurve(to end: CGPoint, control: CGPoint) {}
    public nonisolated mutating func closeSubpath() {}
}

extension Shape {
    public nonisolated func path(in rect: CGRect) -> Path { Path() }
    public func fill(_ style: some ShapeStyle) -> some Shape { self }
    public func stroke(_ style: some ShapeStyle, lineWidth: CGFloat = 1) -> some Shape { self }
    public func stroke(_ color: Color, style: StrokeStyle) -> some Shape { self }
    public func stroke(lineWidth: CGFloat = 1) -> Self { self }
    public func stroke(style: StrokeStyle) -> Self { self }
    public func strokeBorder(_ color: Color, lineWidth: CGFloat = 1) -> some View { self }
    public func trim(from start: CGFloat = 0, to end: CGFloat = 1) -> Self { self }
    public func inset(by amount: CGFloat) -> Self { self }
}

public struct Ellipse: Shape { public init() {} }

/// A rectangle with individually rounded corners.
public struct UnevenRoundedRectangle: Shape {
    public init(
        topLeadingRadius: CGFloat = 0, bottomLeadingRadius: CGFloat = 0,
        bottomTrailingRadius: CGFloat = 0, topTrailingRadius: CGFloat = 0,
        style: RoundedCornerStyle = .continuous
    ) {}
}

extension Shape where Self == Rectangle {
    public static var rect: Rectangle { Rectangle() }
}

extension Shape where Self == RoundedRectangle {
    public static func rect(
        cornerRadius: CGFloat, style: RoundedCornerStyle = .continuous
    ) -> RoundedRectangle { RoundedRectangle(cornerRadius: cornerRadius, style: style) }
}

extension Shape where Self == Circle {
    public static var circle: Circle { Circle() }
}

extension Shape where Self == Capsule {
    public static var capsule: Capsule { Capsule() }
}

extension Shape where Self == Ellipse {
    public static var ellipse: Ellipse { Ellipse() }
}
