// SPDX-License-Identifier: Apache-2.0

import BGRunManifest

/// The JSON object a handler is given.
public enum Parameters {
    /// `base` with the keys of `overlay` in place of its own; `base` itself when there is none.
    /// Both are JSON objects.
    public static func overlay(_ overlay: String?, on base: String) -> String {
        guard let overlay, let above = object(overlay), let own = object(base) else {
            return base
        }
        return JSONValue.object(own.merging(above) { _, newer in newer }).text ?? base
    }

    /// Whether `text` is a JSON object.
    public static func isObject(_ text: String) -> Bool {
        object(text) != nil
    }

    private static func object(_ text: String) -> [String: JSONValue]? {
        JSONValue(text.utf8)?.object
    }
}
