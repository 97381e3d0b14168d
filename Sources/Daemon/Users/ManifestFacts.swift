// SPDX-License-Identifier: Apache-2.0

/// The facts of a manifest that the daemon needs. A process without rights reads the file and
/// reports them: the daemon, which may be root, never parses files of another user.
package struct ManifestFacts: Equatable, Sendable {
    /// The owner of the file.
    var owner: UInt32
    var app: String
    var user: String?
    var group: String?
    var controlGroup: String?

    package init(owner: UInt32, app: String, user: String?, group: String?, controlGroup: String?) {
        self.owner = owner
        self.app = app
        self.user = user
        self.group = group
        self.controlGroup = controlGroup
    }

    /// The owner line, written before the file is read: the contents of the file cannot revoke it.
    package static func text(owner: UInt32) -> String { "owner=\(owner)\n" }

    /// The line of a process that cannot read the file.
    package static func text(problem: String) -> String { "problem=\(problem)\n" }

    static func problem(in text: String) -> String? {
        text.split(separator: "\n").first { $0.hasPrefix("problem=") }
            .map { String($0.dropFirst(8)) }
    }

    /// One line each, except for the owner; no value contains a newline.
    package var text: String {
        [("app", app), ("user", user), ("group", group), ("control_group", controlGroup)]
            .compactMap { name, value in value.map { "\(name)=\($0)\n" } }.joined()
    }

    /// Nil for text that `text` cannot have made, and for an app name that cannot be a directory
    /// name.
    init?(_ text: String) {
        var values: [Substring: String] = [:]
        for line in text.split(separator: "\n") {
            guard let equals = line.firstIndex(of: "="), values[line[..<equals]] == nil else {
                return nil
            }
            values[line[..<equals]] = String(line[line.index(after: equals)...])
        }
        guard let owner = values["owner"].flatMap(UInt32.init), let app = values["app"],
            Self.isName(app)
        else { return nil }
        self.init(
            owner: owner, app: app, user: values["user"], group: values["group"],
            controlGroup: values["control_group"])
    }

    private static func isName(_ app: String) -> Bool {
        (1...255).contains(app.utf8.count) && !app.hasPrefix(".")
            && app.utf8.allSatisfy(nameBytes.contains)
    }

    private static let nameBytes = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_".utf8)
}
