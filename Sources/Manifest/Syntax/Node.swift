// SPDX-License-Identifier: Apache-2.0

/// A value of a YAML document and its place.
package struct Node: Sendable {
    package var content: Content
    /// A block collection is placed at its first key or dash.
    package var span: SourceSpan
    /// Values in it, itself included, with everything its aliases stand for.
    var weight = 1
    /// Levels of nesting in it, itself included.
    var height = 1

    package enum Content: Sendable {
        case scalar(Scalar)
        case sequence([Node])
        case mapping([Entry])
        /// Something a diagnostic was reported for already; nothing more is to be said about it.
        case broken
    }

    package struct Scalar: Hashable, Sendable {
        /// The text, with quotes, escapes and folding undone.
        package var text: String
        var value: CoreValue
    }

    package struct Entry: Sendable {
        package var key: Key
        package var value: Node
    }

    package struct Key: Hashable, Sendable {
        package var text: String
        package var span: SourceSpan
    }

    static func broken(at span: SourceSpan) -> Node {
        Node(content: .broken, span: span)
    }

    /// What it is, for a message: "a number", "a list", ...
    var kindName: String {
        switch content {
        case .scalar(let scalar): scalar.value.kindName
        case .sequence: "a list"
        case .mapping: "a mapping"
        case .broken: "nothing"
        }
    }
}
