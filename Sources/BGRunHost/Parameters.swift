// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The JSON object a handler is given.
public enum Parameters {
    /// `base` with the keys of `overlay` in place of its own; `base` itself when there is none.
    /// Both are JSON objects.
    public static func overlay(_ overlay: String?, on base: String) -> String {
        guard let overlay, let above = object(overlay), var merged = object(base) else {
            return base
        }
        merged.merge(above) { _, newer in newer }
        let data = try? JSONSerialization.data(
            withJSONObject: merged, options: [.sortedKeys, .withoutEscapingSlashes])
        return data.map { String(decoding: $0, as: UTF8.self) } ?? base
    }

    /// Whether `text` is a JSON object.
    public static func isObject(_ text: String) -> Bool {
        object(text) != nil
    }

    private static func object(_ text: String) -> [String: Any]? {
        (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
    }
}
