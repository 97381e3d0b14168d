// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The JSON object for a handler.
package enum Parameters {
    /// `base` with the keys of `overlay` in place of its own; `base` itself if `overlay` is missing.
    /// Both are JSON objects.
    package static func overlay(_ overlay: String?, on base: String) -> String {
        guard let overlay, let above = object(overlay), let own = object(base) else { return base }
        return JSONValue.object(own.merging(above) { _, newer in newer }).text ?? base
    }

    /// The problem with the parameters of a request of `identifier` over those of its task, and the remedy; nil: the
    /// reader of a manifest would accept them.
    package static func problem(
        of overlay: String?, for identifier: String, in manifest: Manifest
    ) -> String? {
        guard let task = manifest.task(for: identifier),
            let whole = JSONValue(self.overlay(overlay, on: task.parameters).utf8)
        else { return nil }
        return manifest.problem(ofParameters: whole, of: task)
    }

    /// The maximum size of a request's parameters in bytes: the same as for a plugin's request.
    static let largest = 1 << 20

    /// The problem with `text`, its position and the remedy; nil: it is a JSON object within the limit.
    package static func problem(of text: String) -> String? {
        problem(of: text, example: #"{"keep": 3}"#)
    }

    /// The same for another JSON object, such as `example`.
    package static func problem(of text: String, example: String) -> String? {
        let example = "write a JSON object, for example '\(example)'"
        let size = text.utf8.count
        guard size <= largest else {
            return "too large: \(size) bytes, and the limit is \(largest) bytes; "
                + "write the data to a file, and pass its path"
        }
        guard let value = JSONValue(text.utf8) else {
            guard let fault = JSONSyntax.fault(in: text.utf8) else {
                return
                    "invalid JSON: nested too deeply, a number too large, or half of a surrogate pair; "
                    + example
            }
            return "invalid JSON at line \(fault.line), column \(fault.column): \(fault.problem); "
                + example
        }
        guard value.object == nil else { return nil }
        return "must be a JSON object, not \(kind(of: value)); \(example)"
    }

    private static func kind(of value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .unsigned, .number, .decimal: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    private static func object(_ text: String) -> [String: JSONValue]? {
        JSONValue(text.utf8)?.object
    }
}
