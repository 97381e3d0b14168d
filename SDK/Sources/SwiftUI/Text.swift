// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The key of a text. Every value can be interpolated.
public struct LocalizedStringKey: ExpressibleByStringInterpolation, Equatable, Sendable {
    public init(_ value: String) {}
    public init(stringLiteral value: String) {}
    public init(stringInterpolation: StringInterpolation) {}

    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        public init(literalCapacity: Int, interpolationCount: Int) {}
        public mutating func appendLiteral(_ literal: String) {}
        public mutating func appendInterpolation<Value>(_ value: Value) {}
        public mutating func appendInterpolation<Value>(_ value: Value, specifier: String) {}
        public mutating func appendInterpolation(_ date: Date, style: Text.DateStyle) {}
        public mutating func appendInterpolation<Style: FormatStyle>(
            _ value: Style.FormatInput, format: Style
        ) {}
        public mutating func appendInterpolation<Value>(_ value: Value, formatter: Formatter) {}
    }
}

/// A text, which is never shown.
public struct Text: PrimitiveView, Equatable {
    /// The format of a date.
    public enum DateStyle: Sendable {
        case time, date, relative, offset, timer
    }

    /// The truncation of a long text.
    public enum TruncationMode: Sendable {
        case head, tail, middle
    }

    public nonisolated init(_ key: LocalizedStringKey, comment: StaticString? = nil) {}
    @_disfavoredOverload
    public nonisolated init(_ content: some StringProtocol) {}
    public nonisolated init(verbatim content: String) {}
    public nonisolated init(_ date: Date, style: DateStyle) {}
    public nonisolated init<Style: FormatStyle>(_ input: Style.FormatInput, format: Style) {}
    public nonisolated init(_ image: Image) {}
    public nonisolated init(_ interval: ClosedRange<Date>) {}
    public nonisolated init(timerInterval: ClosedRange<Date>, countsDown: Bool = true) {}
    public nonisolated init(_ attributed: AttributedString) {}

    public nonisolated static func + (left: Text, right: Text) -> Text { left }
    public nonisolated static func == (left: Text, right: Text) -> Bool { true }

    public func bold(_ isActive: Bool = true) -> Text { self }
    public func italic(_ isActive: Bool = true) -> Text { self }
    public func strikethrough(_ isActive: Bool = true) -> Text { self }
    public func underline(_ isActive: Bool = true) -> Text { self }
    public func monospacedDigit() -> Text { self }
    public func fontWeight(_ weight: Font.Weight?) -> Text { self }
    public func font(_ font: Font?) -> Text { self }
    public func foregroundColor(_ color: Color?) -> Text { self }
    public func foregroundStyle(_ color: Color) -> Text { self }
    public func kerning(_ kerning: CGFloat) -> Text { self }
    public func baselineOffset(_ offset: CGFloat) -> Text { self }
    public func monospaced(_ isActive: Bool = true) -> Text { self }
}

/// An image, which is never loaded.
public struct Image: PrimitiveView, Equatable {
    /// The size of a symbol.
    public enum Scale: Sendable {
        case small, medium, large
    }

    public nonisolated init(systemName: String) {}
    public nonisolated init(_ name: String, bundle: Bundle? = nil) {}

    public nonisolated init(uiImage: UIImage) {}
    public nonisolated init(decorative name: String, bundle: Bundle? = nil) {}

    public func resizable() -> Image { self }
    public func renderingMode(_ mode: TemplateRenderingMode?) -> Image { self }
    public func symbolRenderingMode(_ mode: SymbolRenderingMode?) -> Image { self }
    public func interpolation(_ interpolation: Interpolation) -> Image { self }

    /// Whether the colours of an image are used.
    public enum TemplateRenderingMode: Sendable {
        case template, original
    }

    /// The quality of a scaled image.
    public enum Interpolation: Sendable {
        case none, low, medium, high
    }
}

/// The colouring of a symbol's layers.
public enum SymbolRenderingMode: Sendable {
    case monochrome, multicolor, hierarchical, palette
}

/// A text with an image.
public struct Label<Title: View, Icon: View>: PrimitiveView {
    public init(@ViewBuilder title: () -> Title, @ViewBuilder icon: () -> Icon) {}
}

extension Label where Title == Text, Icon == Image {
    public init(_ title: LocalizedStringKey, systemImage name: String) {}
    @_disfavoredOverload
    public init(_ title: some StringProtocol, systemImage name: String) {}
    public init(_ title: LocalizedStringKey, image name: String) {}
}

/// A font. It has no effect.
public struct Font: Hashable, Sendable {
    /// The weight of a font.
    public enum Weight: Hashable, Sendable {
        case ultraLight, thin, light, regular, medium, semibold, bold, heavy, black
    }

    /// The design of a font.
    public enum Design: Hashable, Sendable {
        case `default`, rounded, monospaced, serif
    }

    /// A size of text.
    public enum TextStyle: Hashable, Sendable {
        case largeTitle, title, title2, title3, headline, subheadline, body, callout, footnote
        case caption, caption2
    }

    public static let largeTitle = Font()
    public static let title = Font()
    public static let title2 = Font()
    public static let title3 = Font()
    public static let headline = Font()
    public static let subheadline = Font()
    public static let body = Font()
    public static let callout = Font()
    public static let footnote = Font()
    public static let caption = Font()
    public static let caption2 = Font()

    public static func custom(_ name: String, size: CGFloat) -> Font { Font() }
    public static func system(
        size: CGFloat, weight: Weight? = nil, design: Design? = nil
    ) -> Font { Font() }
    public static func system(
        _ style: TextStyle, design: Design? = nil, weight: Weight? = nil
    ) -> Font { Font() }

    public func bold() -> Font { self }
    public func italic() -> Font { self }
    public func monospaced() -> Font { self }
    public func monospacedDigit() -> Font { self }
    public func weight(_ weight: Weight) -> Font { self }
}

/// A colour, gradient or material. It has no effect.
public struct Color: PrimitiveView, Hashable, Sendable {
    public nonisolated init(red: Double, green: Double, blue: Double, opacity: Double = 1) {}
    public nonisolated init(white: Double, opacity: Double = 1) {}
    public nonisolated init(_ name: String, bundle: Bundle? = nil) {}
    public nonisolated init(uiColor: UIColor) {}
    public nonisolated init(_ color: UIColor) {}
    private nonisolated init() {}

    public nonisolated static var accentColor: Color { Color() }
    public nonisolated static var primary: Color { Color() }
    public nonisolated static var secondary: Color { Color() }
    public nonisolated static var tertiary: Color { Color() }
    public nonisolated static var quaternary: Color { Color() }
    public nonisolated static var tint: Color { Color() }
    public nonisolated static var background: Color { Color() }
    public nonisolated static var clear: Color { Color() }
    public nonisolated static var black: Color { Color() }
    public nonisolated static var white: Color { Color() }
    public nonisolated static var gray: Color { Color() }
    public nonisolated static var red: Color { Color() }
    public nonisolated static var orange: Color { Color() }
    public nonisolated static var yellow: Color { Color() }
    public nonisolated static var green: Color { Color() }
    public nonisolated static var mint: Color { Color() }
    public nonisolated static var teal: Color { Color() }
    public nonisolated static var cyan: Color { Color() }
    public nonisolated static var blue: Color { Color() }
    public nonisolated static var indigo: Color { Color() }
    public nonisolated static var purple: Color { Color() }
    public nonisolated static var pink: Color { Color() }
    public nonisolated static var brown: Color { Color() }
    public nonisolated static var ultraThinMaterial: Color { Color() }
    public nonisolated static var thinMaterial: Color { Color() }
    public nonisolated static var regularMaterial: Color { Color() }
    public nonisolated static var thickMaterial: Color { Color() }
    public nonisolated static var bar: Color { Color() }

    public nonisolated func opacity(_ opacity: Double) -> Color { self }
    public nonisolated var gradient: Color { self }
}
