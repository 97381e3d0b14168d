// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol

/// A call with the places of its parts.
struct PlacedCall {
    var call: ForeignCall
    var span: SourceSpan
    var arguments: [PlacedArgument]
    /// The places of the values of its keys.
    var keys: [String: SourceSpan]
}

struct PlacedArgument {
    /// The place of its name.
    var name: SourceSpan?
    var value: PlacedValue
}

struct PlacedValue {
    var value: ForeignValue
    var span: SourceSpan
    /// The value it points to, or its fields.
    var parts: [PlacedValue] = []
    /// The place of the name of a saved buffer's length.
    var length: SourceSpan?
}
