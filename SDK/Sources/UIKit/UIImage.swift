// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A picture that nothing decodes: it has no size, and no data.
public final class UIImage: NSObject, Sendable {
    public override init() {
        super.init()
    }

    /// There are no pictures in a plugin.
    public convenience init?(named name: String) {
        return nil
    }

    public convenience init?(systemName name: String) {
        return nil
    }

    /// Nothing decodes it.
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
