// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The facts of the machine that affect the reading of a manifest.
package enum Machine {
    /// The machine-id, which stays the same across boots; the host name if it is missing.
    package static var id: String {
        let file = (try? SourceFile.read("/etc/machine-id")) ?? []
        let text = String(decoding: file.prefix(64).prefix { $0 != 0x0A }, as: UTF8.self)
        if !text.isEmpty { return text }
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The home directory of this process.
    static var home: String? { getenv("HOME").map { String(cString: $0) } }

    /// The directory of the user's sockets.
    static var runtimeDirectory: String? {
        getenv("XDG_RUNTIME_DIR").map { String(cString: $0) }
    }
}
