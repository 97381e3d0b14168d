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
}
