// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A type of files or data, from a fixed list: a type declared by an app only has its identifier.
public struct UTType: Hashable, Codable, Sendable, CustomStringConvertible {
    public let identifier: String

    /// nil unless the type is in the list.
    public init?(_ identifier: String) {
        guard let known = Self.known[identifier] else { return nil }
        self = known.type
    }

    /// The prefix of identifiers of types that only have an extension.
    private static let dynamic = "dyn.filename-extension."

    /// A type of the list that conforms to the other; else one that only has the extension, without
    /// conformances. nil for an empty extension.
    public init?(filenameExtension: String, conformingTo supertype: UTType = .data) {
        let wanted = filenameExtension.lowercased()
        guard !wanted.isEmpty else { return nil }
        let found = Self.list.first { entry in
            entry.extensions.contains(wanted) && entry.type.conforms(to: supertype)
        }
        self = found?.type ?? UTType(exportedAs: Self.dynamic + wanted)
    }

    /// nil if no type in the list with the MIME type conforms to the other.
    public init?(mimeType: String, conformingTo supertype: UTType = .data) {
        let wanted = mimeType.lowercased()
        guard
            let found = Self.list.first(where: { entry in
                entry.mimeTypes.contains(wanted) && entry.type.conforms(to: supertype)
            })
        else { return nil }
        self = found.type
    }

    /// A type declared by the app.
    public init(exportedAs identifier: String, conformingTo parentType: UTType? = nil) {
        self.identifier = identifier
    }

    /// A type declared by another app.
    public init(importedAs identifier: String, conformingTo parentType: UTType? = nil) {
        self.identifier = identifier
    }

    public var preferredFilenameExtension: String? {
        guard identifier.hasPrefix(Self.dynamic) else {
            return Self.known[identifier]?.extensions.first
        }
        return String(identifier.dropFirst(Self.dynamic.count))
    }

    /// Whether it only has an extension.
    public var isDynamic: Bool { identifier.hasPrefix(Self.dynamic) }

    public var preferredMIMEType: String? { Self.known[identifier]?.mimeTypes.first }

    /// Always nil.
    public var localizedDescription: String? { nil }

    public var description: String { identifier }

    /// Whether the app declared it.
    public var isDeclared: Bool { Self.known[identifier] != nil }

    /// All types it conforms to, without itself.
    public var supertypes: Set<UTType> {
        var all = Set<UTType>()
        var rest = Self.known[identifier]?.parents ?? []
        while let next = rest.popLast() {
            guard all.insert(next).inserted else { continue }
            rest += Self.known[next.identifier]?.parents ?? []
        }
        return all
    }

    public func conforms(to type: UTType) -> Bool {
        self == type || supertypes.contains(type)
    }

    public func isSubtype(of type: UTType) -> Bool {
        self != type && supertypes.contains(type)
    }

    public func isSupertype(of type: UTType) -> Bool { type.isSubtype(of: self) }
}

extension URL {
    /// Appends the extension of the type, unless the name has an extension of such a type.
    public func appendingPathComponent(_ name: String, conformingTo type: UTType) -> URL {
        let url = appendingPathComponent(name)
        guard let ending = type.preferredFilenameExtension,
            UTType(filenameExtension: url.pathExtension) != type
        else { return url }
        return url.appendingPathExtension(ending)
    }

    /// Appends the extension of the type.
    public func appendingPathExtension(for type: UTType) -> URL {
        guard let ending = type.preferredFilenameExtension else { return self }
        return appendingPathExtension(ending)
    }
}

extension URLResourceKey {
    /// Requests the name, which determines the type.
    public static var contentTypeKey: URLResourceKey { .nameKey }
}

extension URLResourceValues {
    /// The type for the extension; nil without one.
    public var contentType: UTType? {
        guard let name else { return nil }
        return UTType(filenameExtension: (name as NSString).pathExtension)
    }
}
