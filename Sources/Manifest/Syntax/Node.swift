// SPDX-License-Identifier: Apache-2.0

/// A value of a YAML document and its place.
package struct Node: Sendable {
    package var content: Content
    /// A block collection begins at its first key or dash.
    package var span: SourceSpan
    /// The number of values in it, including itself and the contents of aliases.
    var weight = 1
    /// The levels of nesting in it, including its own.
    var height = 1

    package enum Content: Sendable {
        case scalar(Scalar)
        case sequence([Node])
        case mapping([Entry])
        /// A value with a reported problem; nothing more is reported about it.
        case broken
    }

    package struct Scalar: Equatable, Sendable {
        /// The text after processing of quotes, escapes and folding.
        package var text: String
        var value: CoreValue
    }

    package struct Entry: Sendable {
        package var key: Key
        package var value: Node
    }

    package struct Key: Equatable, Sendable {
        package var text: String
        package var span: SourceSpan
    }

    static func broken(at span: SourceSpan) -> Node {
        Node(content: .broken, span: span)
    }

    /// Its kind for a message: "a number", "a list", ...
    var kindName: String {
        switch content {
        case .scalar(let scalar): scalar.value.kindName
        case .sequence: "a list"
        case .mapping: "a mapping"
        case .broken: "nothing"
        }
    }
}
