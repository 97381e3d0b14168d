// SPDX-License-Identifier: Apache-2.0

/// How a confined handler sees files: the rule of the nearest path at or above a file decides.
package struct FileRules: Equatable, Sendable {
    package enum Rule: Equatable, Sendable {
        /// As on the machine.
        case shown(writable: Bool, isFile: Bool)
        /// An empty directory that cannot be written.
        case hidden
        /// An empty directory of the worker's own, of at most so many bytes.
        case temporary(bytes: Int64)
        /// The attempt's own processes, as in /proc.
        case processes
        /// The worker's own terminals, as in /dev/pts.
        case terminals
    }

    /// Absolute paths without links.
    package private(set) var rules: [String: Rule] = [:]

    package init() {}

    package subscript(path: String) -> Rule? {
        get { rules[path] }
        set {
            precondition(path.hasPrefix("/"), "\(path) is not absolute")
            rules[path] = newValue
        }
    }

    /// Shows a path; one that is shown for writing stays so.
    package mutating func show(_ path: String, writable: Bool, isFile: Bool) {
        if case .shown(let isWritable, _) = rules[path] {
            rules[path] = .shown(writable: writable || isWritable, isFile: isFile)
        } else {
            rules[path] = .shown(writable: writable, isFile: isFile)
        }
    }

    /// The paths with their rules, parents before children.
    package var ordered: [(path: String, rule: Rule)] {
        rules.map { (path: $0.key, rule: $0.value, parts: Self.parts(of: $0.key)) }
            .sorted { $0.parts.lexicographicallyPrecedes($1.parts) }
            .map { ($0.path, $0.rule) }
    }

    /// The path whose rule decides about `path`; nil: none does.
    package func nearest(to path: String) -> (path: String, rule: Rule)? {
        var place = path
        while true {
            if let rule = rules[place] { return (place, rule) }
            guard let parent = Self.parent(of: place) else { return nil }
            place = parent
        }
    }

    package func isHidden(_ path: String) -> Bool { nearest(to: path)?.rule == .hidden }

    /// The paths below `path` that have rules of their own.
    package func exceptions(below path: String) -> [String] {
        rules.keys.filter { Self.contains(path, $0) && $0 != path }.sorted()
    }

    /// Whether `path` is `directory` or below it.
    package static func contains(_ directory: String, _ path: String) -> Bool {
        path == directory || directory == "/" || path.hasPrefix(directory + "/")
    }

    /// Nil for `/`.
    package static func parent(of path: String) -> String? {
        guard path != "/", let slash = path.lastIndex(of: "/") else { return nil }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func parts(of path: String) -> [Substring] { path.split(separator: "/") }
}
