// SPDX-License-Identifier: Apache-2.0

/// A part of a whole as people read it, whatever a handler or a server has said of either.
public enum Percentage {
    /// 0 to 100; nil while the whole is not known.
    public static func of(_ part: Int64, _ whole: Int64) -> Int? {
        whole > 0 ? Int(min(1, max(0, Double(part) / Double(whole))) * 100) : nil
    }
}
