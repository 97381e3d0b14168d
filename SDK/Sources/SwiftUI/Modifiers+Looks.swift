// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Further modifiers of appearance.

extension View {
    public func buttonBorderShape(_ shape: ButtonBorderShape) -> some View { self }
    public func privacySensitive(_ sensitive: Bool = true) -> some View { self }
    public func unredacted() -> some View { self }
    public func tracking(_ tracking: CGFloat) -> some View { self }
    public func kerning(_ kerning: CGFloat) -> some View { self }
    public func baselineOffset(_ offset: CGFloat) -> some View { self }
    public func fontWidth(_ width: Font.Width?) -> some View { self }
    public func underline(
        _ isActive: Bool = true, pattern: Text.LineStyle.Pattern = .solid, color: Color?
    ) -> some View { self }
    public func strikethrough(
        _ isActive: Bool = true, pattern: Text.LineStyle.Pattern = .solid, color: Color?
    ) -> some View { self }
    public func allowsTightening(_ flag: Bool) -> some View { self }
    public func badge(_ label: Text?) -> some View { self }
    public func badgeProminence(_ prominence: BadgeProminence) -> some View { self }
    public func headerProminence(_ prominence: Prominence) -> some View { self }
    public func background(_ view: some View, alignment: Alignment) -> some View { self }
    public func background(
        _ style: some ShapeStyle, ignoresSafeAreaEdges edges: Edge.Set = .all
    ) -> some View { self }
    public func background(_ color: Color, ignoresSafeAreaEdges edges: Edge.Set) -> some View {
        self
    }
    public func background(in shape: some Shape) -> some View { self }
    public func overlay(_ style: some ShapeStyle, in shape: some Shape) -> some View { self }
    public func overlay(_ color: Color, in shape: some Shape) -> some View { self }
    public func border(_ style: some ShapeStyle, width: CGFloat = 1) -> some View { self }
    public func tint(_ style: (some ShapeStyle)?) -> some View { self }
    public func foregroundStyle(
        _ first: some ShapeStyle, _ second: some ShapeStyle
    ) -> some View { self }
    public func foregroundStyle(
        _ first: some ShapeStyle, _ second: some ShapeStyle, _ third: some ShapeStyle
    ) -> some View { self }
    public func mask(_ mask: some View) -> some View { self }
    public func clipShape(_ shape: some Shape, style: FillStyle) -> some View { self }
    public func dynamicTypeSize(_ size: DynamicTypeSize) -> some View { self }
    public func dynamicTypeSize(_ range: some RangeExpression<DynamicTypeSize>) -> some View {
        self
    }
    public func glassEffect(
        _ glass: Glass = .regular, in shape: some Shape = Capsule()
    ) -> some View { self }
    public func glassEffectID(
        _ id: (some Hashable & Sendable)?, in namespace: Namespace.ID
    ) -> some View { self }
    public func saturation(_ amount: Double) -> some View { self }
    public func grayscale(_ amount: Double) -> some View { self }
    public func brightness(_ amount: Double) -> some View { self }
    public func contrast(_ amount: Double) -> some View { self }
    public func hueRotation(_ angle: Angle) -> some View { self }
    public func colorInvert() -> some View { self }
    public func colorMultiply(_ color: Color) -> some View { self }
    public func blendMode(_ blendMode: BlendMode) -> some View { self }
    public func drawingGroup(opaque: Bool = false) -> some View { self }
    public func compositingGroup() -> some View { self }
    public func rotation3DEffect(
        _ angle: Angle, axis: (x: CGFloat, y: CGFloat, z: CGFloat), anchor: UnitPoint = .center,
        anchorZ: CGFloat = 0, perspective: CGFloat = 1
    ) -> some View { self }
    public func scaleEffect(
        x: CGFloat = 1, y: CGFloat = 1, anchor: UnitPoint
    ) -> some View { self }
    public func scaleEffect(_ scale: CGSize, anchor: UnitPoint = .center) -> some View { self }
    public func blur(radius: CGFloat, opaque: Bool) -> some View { self }
    public func listRowSeparatorTint(_ color: Color?, edges: Edge.Set = .all) -> some View { self }
    public func listRowSeparator(_ visibility: Visibility, edges: Edge.Set) -> some View { self }
    public func listSectionSpacing(_ spacing: CGFloat) -> some View { self }
    public func listItemTint(_ tint: Color?) -> some View { self }
    public func moveDisabled(_ isDisabled: Bool) -> some View { self }
    public func deleteDisabled(_ isDisabled: Bool) -> some View { self }
    public func selectionDisabled(_ isDisabled: Bool = true) -> some View { self }
    public func containerBackground(
        for container: ContainerBackgroundPlacement, @ViewBuilder content: () -> some View
    ) -> some View { self }
    public func gridColumnAlignment(_ guide: HorizontalAlignment) -> some View { self }
    public func gridCellAnchor(_ anchor: UnitPoint) -> some View { self }
    public func controlGroupStyle(_ style: ViewStyle) -> some View { self }
    public func indexViewStyle(_ style: ViewStyle) -> some View { self }
    public func textInputAutocapitalization(
        _ style: TextInputAutocapitalization?
    ) -> some View { self }
    public func autocapitalization(_ style: UITextAutocapitalizationType) -> some View { self }
}

extension Text {
    public func tracking(_ tracking: CGFloat) -> Text { self }
    public func fontDesign(_ design: Font.Design?) -> Text { self }

    /// The style of a line below or through text.
    public struct LineStyle: Hashable, Sendable {
        public enum Pattern: Sendable {
            case solid, dash, dot, dashDot, dashDotDot
        }
    }
}

extension Font {
    /// The width of letters.
    public struct Width: Hashable, Sendable {
        public var value: CGFloat

        public init(_ value: CGFloat) {
            self.value = value
        }

        public static let compressed = Width(-1)
        public static let condensed = Width(-0.5)
        public static let standard = Width(0)
        public static let expanded = Width(1)
    }

    /// The distance between lines.
    public enum Leading: Sendable {
        case standard, tight, loose
    }

    public static let system = Font.body
    public static func custom(_ name: String, fixedSize: CGFloat) -> Font { .body }
    public static func custom(
        _ name: String, size: CGFloat, relativeTo textStyle: TextStyle
    ) -> Font { .body }
    public init(_ font: UIFont) {
        self = .body
    }

    public func leading(_ leading: Leading) -> Font { self }
    public func smallCaps() -> Font { self }
    public func width(_ width: Width) -> Font { self }
}

/// The border of buttons.
public struct ButtonBorderShape: Equatable, Sendable {
    public static let automatic = Self()
    public static let capsule = Self()
    public static let circle = Self()
    public static let roundedRectangle = Self()
    public static func roundedRectangle(radius: CGFloat) -> Self { Self() }
}

/// Glass.
public struct Glass: Equatable, Sendable {
    public static let regular = Glass()
    public static let clear = Glass()
    public static let identity = Glass()

    public func tint(_ color: Color?) -> Glass { self }
    public func interactive(_ isEnabled: Bool = true) -> Glass { self }
}

/// The prominence of a view.
public enum Prominence: Sendable {
    case standard, increased
}

public enum BadgeProminence: Sendable {
    case decreased, standard, increased
}

public enum BlendMode: Sendable {
    case normal, multiply, screen, overlay, darken, lighten, colorDodge, colorBurn, softLight
    case hardLight, difference, exclusion, hue, saturation, color, luminosity, sourceAtop
    case destinationOver, destinationOut, plusDarker, plusLighter
}

/// The fill of a shape.
public struct FillStyle: Equatable, Sendable {
    public var isEOFilled: Bool
    public var isAntialiased: Bool

    public init(eoFill: Bool = false, antialiased: Bool = true) {
        isEOFilled = eoFill
        isAntialiased = antialiased
    }
}
