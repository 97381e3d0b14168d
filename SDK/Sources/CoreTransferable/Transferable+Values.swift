// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Values that need no custom representation.

/// The representation of a value of Foundation.
public struct PlainTransferRepresentation<Item: Transferable>: TransferRepresentation {}

extension String: Transferable {
    public static var transferRepresentation: PlainTransferRepresentation<String> {
        PlainTransferRepresentation()
    }
}

extension Data: Transferable {
    public static var transferRepresentation: PlainTransferRepresentation<Data> {
        PlainTransferRepresentation()
    }
}

extension URL: Transferable {
    public static var transferRepresentation: PlainTransferRepresentation<URL> {
        PlainTransferRepresentation()
    }
}

extension AttributedString: Transferable {
    public static var transferRepresentation: PlainTransferRepresentation<AttributedString> {
        PlainTransferRepresentation()
    }
}
