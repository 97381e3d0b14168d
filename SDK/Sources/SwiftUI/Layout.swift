// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Values for layout.

public enum HorizontalAlignment: Sendable {
    case leading, center, trailing
}

public enum VerticalAlignment: Sendable {
    case top, center, bottom, firstTextBaseline, lastTextBaseline
}

public enum Alignment: Sendable {
    case center, leading, trailing, top, bottom, topLeading, topTrailing, bottomLeading
    case bottomTrailing
}

public enum TextAlignment: Sendable {
    case leading, center, trailing
}

/// An axis of layout.
public enum Axis: Sendable {
    case horizontal, vertical

    public struct Set: OptionSet, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        public static let horizontal = Self(rawValue: 1)
        public static let vertical = Self(rawValue: 2)
    }
}

/// A side of a view.
public enum Edge: Sendable {
    case top, leading, bottom, trailing

    public struct Set: OptionSet, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        public static let top = Self(rawValue: 1)
        public static let leading = Self(rawValue: 2)
        public static let bottom = Self(rawValue: 4)
        public static let trailing = Self(rawValue: 8)
        public static let all = Self(rawValue: 15)
        public static let horizontal = Self(rawValue: 10)
        public static let vertical = Self(rawValue: 5)
    }
}

public struct EdgeInsets: Hashable, Sendable {
    public var top: CGFloat
    public var leading: CGFloat
    public var bottom: CGFloat
    public var trailing: CGFloat

    public init(
        top: CGFloat = 0, leading: CGFloat = 0, bottom: CGFloat = 0, trailing: CGFloat = 0
    ) {
        self.top = top
        self.leading = leading
        self.bottom = bottom
        self.trailing = trailing
    }
}

public enum ContentMode: Sendable {
    case fit, fill
}

public enum ColorScheme: Hashable, Sendable {
    case light, dark
}

public enum UserInterfaceSizeClass: Hashable, Sendable {
    case compact, regular
}

/// An animation. It has no effect.
public struct Animation: Hashable, Sendable {
    public static let `default` = Animation()
    public static let linear = Animation()
    public static let easeIn = Animation()
    public static let easeOut = Animation()
    public static let easeInOut = Animation()
    public static let spring = Animation()
    public static let bouncy = Animation()
    public static let smooth = Animation()

    public static func linear(duration: TimeInterval) -> Animation { Animation() }
    public static func easeIn(duration: TimeInterval) -> Animation { Animation() }
    public static func easeOut(duration: TimeInterval) -> Animation { Animation() }
    public static func spring(
        response: Double = 0.5, dampingFraction: Double = 0.8, blendDuration: Double = 0
    ) -> Animation { Animation() }
    public static func spring(duration: TimeInterval, bounce: Double = 0) -> Animation {
        Animation()
    }
    public static func easeInOut(duration: TimeInterval) -> Animation { Animation() }

    public func delay(_ delay: TimeInterval) -> Animation { self }
    public func speed(_ speed: Double) -> Animation { self }
    public func repeatCount(_ count: Int, autoreverses: Bool = true) -> Animation { self }
    public func repeatForever(autoreverses: Bool = true) -> Animation { self }
}

/// Calls `body`.
public func withAnimation<Result>(
    _ animation: Animation? = .default, _ body: () throws -> Result
) rethrows -> Result {
    try body()
}

/// The animation of a change.
public struct Transaction: Sendable {
    public var animation: Animation?
    public var disablesAnimations = false

    public init(animation: Animation? = nil) {
        self.animation = animation
    }
}

/// Calls `body`.
public func withTransaction<Result>(
    _ transaction: Transaction, _ body: () throws -> Result
) rethrows -> Result {
    try body()
}

/// The transition of a view that appears or disappears.
public struct AnyTransition: Sendable {
    public static let opacity = AnyTransition()
    public static let slide = AnyTransition()
    public static let scale = AnyTransition()
    public static let identity = AnyTransition()
    public static let blurReplace = AnyTransition()
    public static func move(edge: Edge) -> AnyTransition { AnyTransition() }
    public static func push(from edge: Edge) -> AnyTransition { AnyTransition() }
    public static func asymmetric(
        insertion: AnyTransition, removal: AnyTransition
    ) -> AnyTransition { AnyTransition() }

    public func combined(with other: AnyTransition) -> AnyTransition { self }
    public func animation(_ animation: Animation?) -> AnyTransition { self }
}

/// The styles of controls, lists and other views. They have no effect.
public enum ViewStyle: Sendable {
    case automatic, plain, bordered, borderedProminent, borderless, inset, insetGrouped, grouped
    case sidebar, linear, circular, segmented, wheel, menu, inline, compact, graphical, `switch`
    case button, checkbox, roundedBorder, stack, columns, page, titleAndIcon, iconOnly, titleOnly
    case navigationLink, accessoryCircular, glass, glassProminent
}

/// The size of a control.
public enum ControlSize: Sendable {
    case mini, small, regular, large, extraLarge
}
