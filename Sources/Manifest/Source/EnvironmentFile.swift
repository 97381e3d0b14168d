// SPDX-License-Identifier: Apache-2.0

import BGRunSystem

/// Reads files of `NAME=value` lines: a subset of systemd's `EnvironmentFile=`. What systemd would read in another way
/// is an error.
enum EnvironmentFile {
    /// The maximum size, in bytes.
    static let sizeLimit = 65_536

    struct Problem: Error, Equatable {
        /// From 1.
        var line: Int
        /// Without text of the file, which may be secret.
        var message: String
        var remedy: String
    }

    /// The variables; the last line with a name counts.
    static func variables(in bytes: [UInt8]) throws(Problem) -> [String: String] {
        var variables: [String: String] = [:]
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, bytes) in lines.enumerated() {
            do throws(Flaw) {
                guard let variable = try variable(in: trimmed(bytes)) else { continue }
                variables[variable.name] = variable.value
            } catch {
                throw Problem(line: index + 1, message: error.message, remedy: error.remedy)
            }
        }
        return variables
    }

    private struct Flaw: Error {
        var message: String
        var remedy: String
    }

    /// Nil for an empty line and a comment.
    private static func variable(
        in line: ArraySlice<UInt8>
    ) throws(Flaw) -> (name: String, value: String)? {
        guard let first = line.first, first != UInt8(ascii: "#"), first != UInt8(ascii: ";") else {
            return nil
        }
        guard let text = String(validating: line, as: UTF8.self), !line.contains(0) else {
            throw Flaw(message: "is not UTF-8, or contains a NUL", remedy: "write text")
        }
        guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else {
            throw Flaw(message: "has no `=`", remedy: "write `NAME=value`, or begin it with `#`")
        }
        let name = String(decoding: line[..<equals], as: UTF8.self)
        guard Secret.isVariableName(name) else {
            throw Flaw(
                message: "does not begin with the name of a variable",
                remedy: text.hasPrefix("export ")
                    ? "write it without `export`"
                    : "write letters, digits and `_`, and `=` without spaces before it")
        }
        return (name, try value(trimmed(line[line.index(after: equals)...])))
    }

    private static func value(_ text: ArraySlice<UInt8>) throws(Flaw) -> String {
        guard let quote = text.first, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"")
        else {
            guard !text.contains(where: { [0x22, 0x27, 0x5C].contains($0) }) else {
                throw Flaw(
                    message: "has a quote or `\\` in a value without quotes",
                    remedy: "put the whole value in quotes")
            }
            return String(decoding: text, as: UTF8.self)
        }
        var value: [UInt8] = []
        var rest = text.dropFirst()
        while let byte = rest.popFirst() {
            if byte == quote {
                guard rest.isEmpty else {
                    throw Flaw(
                        message: "has text after a closing quote",
                        remedy: "put the whole value in one pair of quotes")
                }
                return String(decoding: value, as: UTF8.self)
            }
            // As in a shell: other characters keep their `\`.
            if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\""), let next = rest.first,
                [0x22, 0x24, 0x5C, 0x60].contains(next)
            {
                value.append(next)
                rest.removeFirst()
            } else {
                value.append(byte)
            }
        }
        throw Flaw(message: "has a quote without an end", remedy: "close it on the same line")
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        let start = bytes.drop(while: isBlank)
        let end = start.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start.startIndex
        return start[..<end]
    }
}
