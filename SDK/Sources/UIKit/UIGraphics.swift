// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Drawing into images. Nothing is drawn: an image has no size and no data.

/// Creates an image without content.
@preconcurrency
public final class UIGraphicsImageRenderer: NSObject {
    public let format: UIGraphicsImageRendererFormat

    public init(size: CGSize) {
        format = UIGraphicsImageRendererFormat()
    }

    public init(size: CGSize, format: UIGraphicsImageRendererFormat) {
        self.format = format
    }

    public init(bounds: CGRect, format: UIGraphicsImageRendererFormat? = nil) {
        self.format = format ?? UIGraphicsImageRendererFormat()
    }

    /// Calls `actions`, which draw nothing.
    public func image(actions: (UIGraphicsImageRendererContext) -> Void) -> UIImage {
        let context = UIGraphicsImageRendererContext(format: format)
        actions(context)
        return context.currentImage
    }

    /// Calls `actions`; the data is empty.
    public func pngData(actions: (UIGraphicsImageRendererContext) -> Void) -> Data {
        actions(UIGraphicsImageRendererContext(format: format))
        return Data()
    }

    /// Calls `actions`; the data is empty.
    public func jpegData(
        withCompressionQuality compressionQuality: CGFloat,
        actions: (UIGraphicsImageRendererContext) -> Void
    ) -> Data {
        actions(UIGraphicsImageRendererContext(format: format))
        return Data()
    }
}

/// The format of an image.
public final class UIGraphicsImageRendererFormat: NSObject {
    public var scale: CGFloat = 1
    public var opaque = false

    public override init() {
        super.init()
    }

    public static func `default`() -> UIGraphicsImageRendererFormat { .init() }
    public static func preferred() -> UIGraphicsImageRendererFormat { .init() }
}

/// Draws nothing.
public final class UIGraphicsImageRendererContext: NSObject {
    public let format: UIGraphicsImageRendererFormat
    public let cgContext = CGContext()

    init(format: UIGraphicsImageRendererFormat) {
        self.format = format
    }

    public var currentImage: UIImage { UIImage() }
    public func fill(_ rect: CGRect) {}
    public func stroke(_ rect: CGRect) {}
    public func clip(to rect: CGRect) {}
}

/// Draws nothing.
public final class CGContext: Sendable {
    public func saveGState() {}
    public func restoreGState() {}
    public func setFillColor(_ color: CGColor) {}
    public func setStrokeColor(_ color: CGColor) {}
    public func setLineWidth(_ width: CGFloat) {}
    public func setAlpha(_ alpha: CGFloat) {}
    public func fill(_ rect: CGRect) {}
    public func stroke(_ rect: CGRect) {}
    public func fillEllipse(in rect: CGRect) {}
    public func strokeEllipse(in rect: CGRect) {}
    public func addRect(_ rect: CGRect) {}
    public func addEllipse(in rect: CGRect) {}
    public func beginPath() {}
    public func move(to point: CGPoint) {}
    public func addLine(to point: CGPoint) {}
    public func closePath() {}
    public func fillPath() {}
    public func strokePath() {}
    public func translateBy(x tx: CGFloat, y ty: CGFloat) {}
    public func scaleBy(x sx: CGFloat, y sy: CGFloat) {}
    public func rotate(by angle: CGFloat) {}
    public func draw(_ image: CGImage, in rect: CGRect) {}
}

/// Does nothing: nothing is drawn.
public func UIGraphicsBeginImageContextWithOptions(
    _ size: CGSize, _ opaque: Bool, _ scale: CGFloat
) {}
/// Does nothing: nothing is drawn.
public func UIGraphicsBeginImageContext(_ size: CGSize) {}
/// nil: nothing is drawn.
public func UIGraphicsGetImageFromCurrentImageContext() -> UIImage? { nil }
/// nil: nothing is drawn.
public func UIGraphicsGetCurrentContext() -> CGContext? { nil }
/// Does nothing: nothing is drawn.
public func UIGraphicsEndImageContext() {}

/// A path, whose lines are not stored.
@preconcurrency @MainActor
open class UIBezierPath: NSObject {
    open var lineWidth: CGFloat = 1

    public override init() {
        super.init()
    }

    public convenience init(rect: CGRect) {
        self.init()
    }
    public convenience init(ovalIn rect: CGRect) {
        self.init()
    }
    public convenience init(roundedRect rect: CGRect, cornerRadius: CGFloat) {
        self.init()
    }

    open func move(to point: CGPoint) {}
    open func addLine(to point: CGPoint) {}
    open func addArc(
        withCenter center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat,
        clockwise: Bool
    ) {}
    open func close() {}
    open func fill() {}
    open func stroke() {}
    open func addClip() {}
}

/// A rotation, translation and scaling of the plane.
public struct CGAffineTransform: Equatable, Sendable {
    public var a: CGFloat
    public var b: CGFloat
    public var c: CGFloat
    public var d: CGFloat
    public var tx: CGFloat
    public var ty: CGFloat

    public init(
        a: CGFloat, b: CGFloat, c: CGFloat, d: CGFloat, tx: CGFloat, ty: CGFloat
    ) {
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.tx = tx
        self.ty = ty
    }

    public init(scaleX sx: CGFloat, y sy: CGFloat) {
        self.init(a: sx, b: 0, c: 0, d: sy, tx: 0, ty: 0)
    }

    public init(translationX tx: CGFloat, y ty: CGFloat) {
        self.init(a: 1, b: 0, c: 0, d: 1, tx: tx, ty: ty)
    }

    public init(rotationAngle angle: CGFloat) {
        let (sine, cosine) = (CGFloat(sin(Double(angle))), CGFloat(cos(Double(angle))))
        self.init(a: cosine, b: sine, c: -sine, d: cosine, tx: 0, ty: 0)
    }

    public static let identity = CGAffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)
    public var isIdentity: Bool { self == .identity }

    /// This transform, then the other.
    public func concatenating(_ t2: CGAffineTransform) -> CGAffineTransform {
        CGAffineTransform(
            a: a * t2.a + b * t2.c, b: a * t2.b + b * t2.d,
            c: c * t2.a + d * t2.c, d: c * t2.b + d * t2.d,
            tx: tx * t2.a + ty * t2.c + t2.tx, ty: tx * t2.b + ty * t2.d + t2.ty)
    }

    /// The rotation, then this transform; likewise the next two.
    public func rotated(by angle: CGFloat) -> CGAffineTransform {
        CGAffineTransform(rotationAngle: angle).concatenating(self)
    }

    public func scaledBy(x sx: CGFloat, y sy: CGFloat) -> CGAffineTransform {
        CGAffineTransform(scaleX: sx, y: sy).concatenating(self)
    }

    public func translatedBy(x tx: CGFloat, y ty: CGFloat) -> CGAffineTransform {
        CGAffineTransform(translationX: tx, y: ty).concatenating(self)
    }
}

extension NSValue {
    public convenience init(cgRect rect: CGRect) {
        self.init(rect: rect)
    }

    public convenience init(cgPoint point: CGPoint) {
        self.init(point: point)
    }

    public convenience init(cgSize size: CGSize) {
        self.init(size: size)
    }

    public var cgRectValue: CGRect { rectValue }
    public var cgPointValue: CGPoint { pointValue }
    public var cgSizeValue: CGSize { sizeValue }
}
