// SPDX-License-Identifier: Apache-2.0

/// Data of a request for people and programs; no decision of the engine depends on it. The only definition of these
/// fields: all code passes the whole value on, and text has it as words, `tag:nightly tag:sync`.
package struct Annotations: Equatable, Sendable, Codable {
    /// Short names by which requests are found (Android: addTag).
    package var tags: Tags

    package init(tags: Tags = []) { self.tags = tags }

    package var isEmpty: Bool { tags.isEmpty }

    /// The annotations of a task together with those of a submission.
    func adding(_ others: Annotations) -> Annotations {
        others.isEmpty ? self : Annotations(tags: tags.adding(others.tags))
    }

    /// The problem with those of a request, and the remedy; nil: none.
    package var problem: String? { tags.problem }

    /// In a table.
    package static let heading = "TAGS"

    /// For people; nil for none.
    package var summary: String? { isEmpty ? nil : tags.names.joined(separator: ", ") }

    /// In a sentence; nil for none.
    package var clause: String? { summary.map { "tags: \($0)" } }

    // MARK: as words

    private static let tagPrefix = "tag:"

    package static func word(forTag tag: String) -> String { tagPrefix + tag }

    /// Words in one line, always in the same order; nil for none.
    package var text: String? {
        isEmpty ? nil : tags.names.map(Self.word(forTag:)).joined(separator: " ")
    }

    package func has(_ word: String) -> Bool {
        word.hasPrefix(Self.tagPrefix)
            && tags.names.contains(String(word.dropFirst(Self.tagPrefix.count)))
    }

    /// nil: `text` has a word that this bgrun does not know, or an invalid value.
    package init?(text: String?) {
        self.init()
        guard let text else { return }
        var names: [String] = []
        for word in text.split(separator: " ") {
            guard word.hasPrefix(Self.tagPrefix) else { return nil }
            names.append(String(word.dropFirst(Self.tagPrefix.count)))
        }
        tags = Tags(names)
        if tags.names.contains(where: { Tags.problem(of: $0) != nil }) { return nil }
    }

    // MARK: of a plugin

    /// Bytes of the longest text that a plugin may submit.
    package static let longestText = Tags.most * (tagPrefix.utf8.count + Tags.longest + 1)
}

extension TaskDeclaration {
    /// The problem with these annotations of a submission in addition to those of the task, and the remedy; nil: none.
    package func problem(with annotations: Annotations) -> String? {
        annotations.problem ?? self.annotations.adding(annotations).problem
    }
}
