// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Apps have no sandbox here: access is always granted, and a bookmark is the path.

extension URL {
    public typealias BookmarkCreationOptions = NSURL.BookmarkCreationOptions
    public typealias BookmarkResolutionOptions = NSURL.BookmarkResolutionOptions

    /// Always true.
    public func startAccessingSecurityScopedResource() -> Bool { true }

    /// Does nothing.
    public func stopAccessingSecurityScopedResource() {}

    /// The path, which a URL can be made from. A moved file is not found.
    ///
    /// - Throws: when the file is missing.
    public func bookmarkData(
        options: BookmarkCreationOptions = [],
        includingResourceValuesForKeys keys: Set<URLResourceKey>? = nil, relativeTo url: URL? = nil
    ) throws -> Data {
        guard isFileURL, FileManager.default.fileExists(atPath: path) else {
            throw CocoaError(.fileNoSuchFile, userInfo: [NSURLErrorKey: self])
        }
        return try JSONEncoder().encode([Self.bookmarkKey: standardizedFileURL.path])
    }

    /// - Throws: when the data is not a bookmark, or the file is missing.
    public init(
        resolvingBookmarkData data: Data, options: BookmarkResolutionOptions = [],
        relativeTo url: URL? = nil, bookmarkDataIsStale: inout Bool
    ) throws {
        bookmarkDataIsStale = false
        guard
            let path = try? JSONDecoder().decode([String: String].self, from: data)[
                Self.bookmarkKey]
        else { throw CocoaError(.fileReadCorruptFile) }
        guard FileManager.default.fileExists(atPath: path) else {
            throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: path])
        }
        self.init(fileURLWithPath: path)
    }

    private static let bookmarkKey = "bookmarkedPath"
}

extension NSURL {
    /// Without effect.
    public struct BookmarkCreationOptions: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        public static let minimalBookmark = Self(rawValue: 1 << 9)
        public static let suitableForBookmarkFile = Self(rawValue: 1 << 10)
        public static let withSecurityScope = Self(rawValue: 1 << 11)
        public static let securityScopeAllowOnlyReadAccess = Self(rawValue: 1 << 12)
        public static let withoutImplicitSecurityScope = Self(rawValue: 1 << 29)
    }

    /// Without effect.
    public struct BookmarkResolutionOptions: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        public static let withoutUI = Self(rawValue: 1 << 8)
        public static let withoutMounting = Self(rawValue: 1 << 9)
        public static let withSecurityScope = Self(rawValue: 1 << 10)
        public static let withoutImplicitStartAccessing = Self(rawValue: 1 << 15)
    }
}
