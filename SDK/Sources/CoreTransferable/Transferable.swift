// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import UniformTypeIdentifiers

// Values for exchange with other apps. Nothing is exported or imported, and no closure is called.

/// A value that could be dragged, dropped, pasted or shared.
public protocol Transferable {
    associatedtype Representation: TransferRepresentation
    @TransferRepresentationBuilder<Self> static var transferRepresentation: Representation { get }
}

/// The representation in which a value would leave an app.
public protocol TransferRepresentation<Item> {
    associatedtype Item: Transferable
}

extension TransferRepresentation {
    public func visibility(_ visibility: TransferRepresentationVisibility) -> Self { self }
    public func suggestedFileName(_ fileName: String) -> Self { self }
    public func suggestedFileName(_ fileName: @escaping @Sendable (Item) -> String?) -> Self {
        self
    }
    public func exportingCondition(_ condition: @escaping @Sendable (Item) -> Bool) -> Self {
        self
    }
}

/// The recipients of a representation.
public enum TransferRepresentationVisibility: Sendable {
    case all, team, group, ownProcess
}

/// As JSON.
public struct CodableRepresentation<Item: Transferable & Codable>: TransferRepresentation {
    public init(contentType: UTType) {}
    public init(for itemType: Item.Type, contentType: UTType) {}
}

/// As data.
public struct DataRepresentation<Item: Transferable>: TransferRepresentation {
    public init(
        contentType: UTType, exporting: @escaping @Sendable (Item) async throws -> Data,
        importing: @escaping @Sendable (Data) async throws -> Item
    ) {}
    public init(
        exportedContentType: UTType, exporting: @escaping @Sendable (Item) async throws -> Data
    ) {}
    public init(
        importedContentType: UTType, importing: @escaping @Sendable (Data) async throws -> Item
    ) {}
}

/// As a file.
public struct FileRepresentation<Item: Transferable>: TransferRepresentation {
    public init(
        contentType: UTType,
        exporting: @escaping @Sendable (Item) async throws -> SentTransferredFile,
        importing: @escaping @Sendable (ReceivedTransferredFile) async throws -> Item
    ) {}
    public init(
        exportedContentType: UTType,
        exporting: @escaping @Sendable (Item) async throws -> SentTransferredFile
    ) {}
    public init(
        importedContentType: UTType,
        importing: @escaping @Sendable (ReceivedTransferredFile) async throws -> Item
    ) {}
}

/// As another value.
public struct ProxyRepresentation<
    Item: Transferable, ProxyRepresentation: Transferable
>: TransferRepresentation {
    public init(exporting: @escaping @Sendable (Item) -> ProxyRepresentation) {}
    public init(
        exporting: @escaping @Sendable (Item) -> ProxyRepresentation,
        importing: @escaping @Sendable (ProxyRepresentation) throws -> Item
    ) {}
}

/// A file that an app would export.
public struct SentTransferredFile: Sendable {
    public let file: URL
    public let allowAccessingOriginalFile: Bool

    public init(_ file: URL, allowAccessingOriginalFile: Bool = false) {
        self.file = file
        self.allowAccessingOriginalFile = allowAccessingOriginalFile
    }
}

/// A file that an app would import.
public struct ReceivedTransferredFile: Sendable {
    public let file: URL
    public let isOriginalFile: Bool
}

/// Several representations.
public struct TupleTransferRepresentation<Item: Transferable>: TransferRepresentation {}

/// Builds the representations of a value.
@resultBuilder
public enum TransferRepresentationBuilder<Item: Transferable> {
    public static func buildExpression<Content: TransferRepresentation<Item>>(
        _ content: Content
    ) -> Content { content }

    public static func buildPartialBlock<Content: TransferRepresentation<Item>>(
        first content: Content
    ) -> Content { content }

    public static func buildPartialBlock<
        First: TransferRepresentation<Item>, Next: TransferRepresentation<Item>
    >(
        accumulated: First, next: Next
    ) -> TupleTransferRepresentation<Item> { TupleTransferRepresentation() }
}
