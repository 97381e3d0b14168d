// SPDX-License-Identifier: Apache-2.0

/// A value of a YAML document and its place.
struct Node: Sendable {
    var content: Content
    /// A block collection is placed at its first key or dash.
    var span: SourceSpan
    /// Values in it, itself included, with everything its aliases stand for.
    var weight = 1
    /// Levels of nesting in it, itself included.
    var height = 1

    enum Content: Sendable {
        case scalar(Scalar)
        case sequence([Node])
        case mapping([Entry])
        /// Something a diagnostic was reported for already; nothing more is to be said about it.
        case broken
    }

    struct Scalar: Hashable, Sendable {
        /// The text, with quotes, escapes and folding undone.
        var text: String
        var value: CoreValue
    }

    struct Entry: Sendable {
        var key: Key
        var value: Node
    }

    struct Key: Hashable, Sendable {
        var text: String
        var span: SourceSpan
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
