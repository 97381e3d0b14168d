// SPDX-License-Identifier: Apache-2.0

/// The stored members of a type.
enum StoredMembers {
    /// The declarations in `body` with this indentation, without comments. A computed member has a brace that neither
    /// follows `=` nor begins an observer.
    static func all(in body: [String], indentation: Int) -> [String] {
        let space = String(repeating: " ", count: indentation)
        return body.indices.compactMap { index in
            let code = body[index].split(separator: "//", omittingEmptySubsequences: false)[0]
            let declaration = code.prefix { $0 != "=" && $0 != "{" }
            guard code.hasPrefix(space), !code.hasPrefix(space + " "),
                declaration.contains(#/\b(let|var) /#), !declaration.contains(#/\bstatic\b/#)
            else { return nil }
            let next = index + 1 < body.count ? body[index + 1] : ""
            let isObserved = "\(code)\(next)".contains(#/\{ *(did|will)Set\b/#)
            return !code.contains("{") || code.contains("= {") || isObserved ? String(code) : nil
        }
    }
}
