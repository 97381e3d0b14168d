// SPDX-License-Identifier: Apache-2.0

/// What the daemon must know of a manifest. A process without rights reads the file and says it: the
/// daemon, which may be root, never parses what somebody else has written.
public struct ManifestFacts: Hashable, Sendable {
    public var app: String
    public var user: String?
    public var group: String?
    public var controlGroup: String?

    public init(app: String, user: String?, group: String?, controlGroup: String?) {
        self.app = app
        self.user = user
        self.group = group
        self.controlGroup = controlGroup
    }

    /// A line each; no value has a line end in it.
    public var text: String {
        [("app", app), ("user", user), ("group", group), ("control_group", controlGroup)]
            .compactMap { name, value in value.map { "\(name)=\($0)\n" } }.joined()
    }

    /// Nil for anything but what `text` gives, and for an app that cannot name a directory.
    init?(_ text: String) {
        var values: [Substring: String] = [:]
        for line in text.split(separator: "\n") {
            guard let equals = line.firstIndex(of: "="), values[line[..<equals]] == nil else {
                return nil
            }
            values[line[..<equals]] = String(line[line.index(after: equals)...])
        }
        guard let app = values["app"], Self.isName(app) else { return nil }
        self.init(
            app: app, user: values["user"], group: values["group"],
            controlGroup: values["control_group"])
    }

    private static func isName(_ app: String) -> Bool {
        (1...255).contains(app.utf8.count) && !app.hasPrefix(".")
            && app.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                    UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
