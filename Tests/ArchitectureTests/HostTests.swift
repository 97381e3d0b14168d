// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("The host and its features")
struct HostTests {
    private static let directory = "Sources/BGRunHost/"
    private let files = SourceFile.all(in: "Sources/BGRunHost", ["swift"])

    /// The folder of a file below the module's; nil for the host itself.
    private func folder(of file: SourceFile) -> String? {
        let parts = file.path.dropFirst(Self.directory.count).split(separator: "/")
        return parts.count > 1 ? String(parts[0]) : nil
    }

    private func words(_ line: String) -> [Substring] {
        line.split { !($0.isLetter || $0.isNumber || $0 == "_") }
    }

    @Test("the host has at most 25 stored members")
    func members() throws {
        let host = try #require(files.first { $0.path == Self.directory + "Host.swift" })
        let start = try #require(host.lines.firstIndex(of: "public final class Host {"))
        let body = host.lines[start...].prefix { $0 != "}" }
        let stored = body.filter { line in
            guard line.hasPrefix("    "), !line.hasPrefix("     ") else { return false }
            let declaration = line.prefix { $0 != "=" && $0 != "{" }
            let isVariable = !Set(words(String(declaration))).isDisjoint(with: ["let", "var"])
            return isVariable && !words(line).contains("static") && !line.contains("{")
                && !line.contains("//")
        }
        #expect(stored.count > 15 && stored.count <= 25, "\(stored.count): \(stored)")
    }

    @Test("a feature is a folder and a line of the list, and the host names it nowhere else")
    func features() throws {
        let list = try #require(files.first { $0.path == Self.directory + "HostFeatures.swift" })
        // The store has tables of features.
        let known = [list.path, Self.directory + "HostStore.swift"]
        let folders = Set(files.compactMap(folder))
        #expect(folders.count >= 6)
        for name in folders {
            let own = files.filter { folder(of: $0) == name }
            #expect(
                own.contains { $0.path == "\(Self.directory)\(name)/\(name)Feature.swift" },
                "\(name)")
            let lines = list.code.filter { words($0.text).contains("\(name)Feature"[...]) }
            #expect(lines.count == 1, "\(name)")
            let types = own.flatMap(\.lines).compactMap { line -> Substring? in
                guard line.first?.isLetter == true else { return nil }
                let words = words(line)
                let kind = words.firstIndex {
                    ["class", "struct", "enum", "protocol"].contains($0)
                }
                return kind.flatMap { words.dropFirst($0 + 1).first }
            }
            let names = Set(types + [Substring(name), Substring(name.lowercased())])
            for file in files where folder(of: file) == nil && !known.contains(file.path) {
                for (number, text) in file.code {
                    #expect(
                        names.isDisjoint(with: words(text)), "\(file.path):\(number) names \(name)")
                }
            }
        }
    }
}
