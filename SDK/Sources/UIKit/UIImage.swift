// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An image that is never decoded: it has no size and no data.
public final class UIImage: NSObject, Sendable {
    public override init() {
        super.init()
    }

    /// A plugin has no image assets.
    public convenience init?(named name: String) {
        return nil
    }

    public convenience init?(systemName name: String) {
        return nil
    }

    /// It is never decoded.
    public convenience init?(data: Data) {
        return nil
    }

    public convenience init?(contentsOfFile path: String) {
        return nil
    }

    public var size: CGSize { .zero }

    public func jpegData(compressionQuality: CGFloat) -> Data? { nil }
    public func pngData() -> Data? { nil }

    /// It is never decoded.
    public convenience init?(data: Data, scale: CGFloat) {
        return nil
    }

    public convenience init?(
        systemName name: String, withConfiguration configuration: Configuration?
    ) {
        return nil
    }

    public convenience init?(
        named name: String, in bundle: Bundle?, compatibleWith traitCollection: UITraitCollection?
    ) {
        return nil
    }

    public init(cgImage: CGImage) {
        super.init()
    }

    public init(cgImage: CGImage, scale: CGFloat, orientation: Orientation) {
        super.init()
    }

    public var scale: CGFloat { 1 }
    public var imageOrientation: Orientation { .up }
    public var renderingMode: RenderingMode { .automatic }
    public var cgImage: CGImage? { nil }

    /// Always nil: images have no pixels.
    public func preparingThumbnail(of size: CGSize) -> UIImage? { nil }
    public func prepareThumbnail(
        of size: CGSize, completionHandler: @escaping @Sendable (UIImage?) -> Void
    ) {
        completionHandler(nil)
    }
    public func byPreparingThumbnail(ofSize size: CGSize) async -> UIImage? { nil }
    public func preparingForDisplay() -> UIImage? { nil }
    public func prepareForDisplay(completionHandler: @escaping @Sendable (UIImage?) -> Void) {
        completionHandler(nil)
    }
    public func byPreparingForDisplay() async -> UIImage? { nil }
    public func withRenderingMode(_ renderingMode: RenderingMode) -> UIImage { self }
    public func withTintColor(_ color: UIColor) -> UIImage { self }
    public func withTintColor(_ color: UIColor, renderingMode: RenderingMode) -> UIImage { self }
    public func withConfiguration(_ configuration: Configuration) -> UIImage { self }
    /// Draws nothing.
    public func draw(in rect: CGRect) {}
    /// Draws nothing.
    public func draw(at point: CGPoint) {}

    /// Whether the colours of an image are used.
    public enum RenderingMode: Int, Sendable {
        case automatic, alwaysOriginal, alwaysTemplate
    }

    /// The orientation of an image.
    public enum Orientation: Int, Sendable {
        case up, down, left, right, upMirrored, downMirrored, leftMirrored, rightMirrored
    }

    /// The appearance of a symbol.
    public class Configuration: NSObject, @unchecked Sendable {
        public override init() {
            super.init()
        }
    }

    /// The appearance of a symbol.
    public final class SymbolConfiguration: Configuration, @unchecked Sendable {
        public convenience init(pointSize: CGFloat) {
            self.init()
        }
        public convenience init(pointSize: CGFloat, weight: SymbolWeight) {
            self.init()
        }
        public convenience init(pointSize: CGFloat, weight: SymbolWeight, scale: SymbolScale) {
            self.init()
        }
        public convenience init(textStyle: UIFont.TextStyle) {
            self.init()
        }
        public convenience init(scale: SymbolScale) {
            self.init()
        }
        public convenience init(paletteColors: [UIColor]) {
            self.init()
        }
    }

    public enum SymbolWeight: Int, Sendable {
        case unspecified, ultraLight, thin, light, regular, medium, semibold, bold, heavy, black
    }

    public enum SymbolScale: Int, Sendable {
        case `default` = -1
        case unspecified, small, medium, large
    }
}

/// An image of Core Graphics, of no size. Never created.
public final class CGImage: Sendable {
    private init() {}

    public var width: Int { 0 }
    public var height: Int { 0 }

    public func cropping(to rect: CGRect) -> CGImage? { nil }
}
