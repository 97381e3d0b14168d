// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import Glibc

/// Headers, which may be secrets: one `Name: value` per line; skips empty lines and lines that begin
/// with `#`.
enum HeaderFile {
    struct Refusal: Error {
        var reason: String
    }

    private static let limit = 65_536

    /// The file must belong to its reader or root, and other users must not be able to open it.
    static func read(_ path: String) throws(Refusal) -> [String] {
        let bytes: [UInt8]
        do throws(PrivateFile.Refusal) {
            bytes = try PrivateFile.bytes(of: path, named: "it", limit: limit)
        } catch {
            let reason = error.code == 0 ? error.reason : String(cString: strerror(error.code))
            throw Refusal(reason: reason)
        }
        return try headers(String(decoding: bytes, as: UTF8.self))
    }

    static func headers(_ text: String) throws(Refusal) -> [String] {
        var headers: [String] = []
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where !line.isEmpty && !line.hasPrefix("#") {
            let name = line.prefix { $0 != ":" }
            let isName = !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
            let isClean = line.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\t" }
            guard isName, isClean, name.count < line.count else {
                throw Refusal(reason: "line \(index + 1) is not a header; write `Name: value`")
            }
            headers.append(String(line))
        }
        return headers
    }
}
