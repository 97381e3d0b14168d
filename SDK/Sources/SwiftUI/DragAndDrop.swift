// SPDX-License-Identifier: Apache-2.0

public import CoreTransferable
public import Foundation
public import UniformTypeIdentifiers

// Drag and drop: nothing is transferred, and no action is called.

extension View {
    public func draggable<T: Transferable>(
        _ payload: @autoclosure @escaping () -> T
    ) -> some View { self }
    public func draggable<T: Transferable>(
        _ payload: @autoclosure @escaping () -> T, @ViewBuilder preview: () -> some View
    ) -> some View { self }
    public func dropDestination<T: Transferable>(
        for payloadType: T.Type = T.self, action: @escaping (_ items: [T], CGPoint) -> Bool,
        isTargeted: @escaping (Bool) -> Void = { _ in }
    ) -> some View { self }
    public func copyable<T: Transferable>(
        _ payload: @autoclosure @escaping () -> [T]
    ) -> some View { self }
    public func pasteDestination<T: Transferable>(
        for payloadType: T.Type = T.self, action: @escaping ([T]) -> Void
    ) -> some View { self }
    public func fileImporter(
        isPresented: Binding<Bool>, allowedContentTypes: [UTType],
        onCompletion: @escaping (_ result: Result<URL, any Error>) -> Void
    ) -> some View { self }
    public func fileImporter(
        isPresented: Binding<Bool>, allowedContentTypes: [UTType], allowsMultipleSelection: Bool,
        onCompletion: @escaping (_ result: Result<[URL], any Error>) -> Void
    ) -> some View { self }
    public func fileExporter<T: Transferable>(
        isPresented: Binding<Bool>, item: T?, contentTypes: [UTType] = [],
        defaultFilename: String? = nil,
        onCompletion: @escaping (_ result: Result<URL, any Error>) -> Void
    ) -> some View { self }
    public func fileMover(
        isPresented: Binding<Bool>, file: URL?,
        onCompletion: @escaping (_ result: Result<URL, any Error>) -> Void
    ) -> some View { self }
}

extension ForEach {
    public func dropDestination<T: Transferable>(
        for payloadType: T.Type = T.self, action: @escaping (_ items: [T], Int) -> Void
    ) -> Self { self }
}

/// Pastes nothing.
public struct PasteButton: PrimitiveView {
    public init<T: Transferable>(
        payloadType: T.Type, onPaste: @escaping ([T]) -> Void
    ) {}
}
