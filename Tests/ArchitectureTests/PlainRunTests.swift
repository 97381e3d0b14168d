// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("`run` that is read without ArgumentParser")
struct PlainRunTests {
    private let sources = SourceFile.all(in: "Sources/bgrun", ["swift"])

    @Test(
        "every option gets a value: to read one without a value ends the process",
        arguments: [
            "RunCommand", "ManifestOptions", "StateOption", "DeviceOptions", "LogOptions",
        ])
    func values(type: String) throws {
        let values = try #require(try text("RunCommand+Plain").split(separator: "self.init()").last)
        let plain = values.split(separator: "\n").map {
            $0.split(separator: " = ").first?.split { " .".contains($0) }.last
        }
        let options = Self.options(try text(type))
        try #require(!options.isEmpty)
        for option in options {
            #expect(plain.contains(option), "\(type).\(option)")
        }
    }

    private func text(_ name: String) throws -> String {
        let file = try #require(sources.first { $0.path.hasSuffix("/\(name).swift") })
        return file.lines.joined(separator: "\n")
    }

    /// The names of the properties that ArgumentParser sets.
    private static func options(_ text: String) -> [Substring] {
        text.split(separator: "\n    @").dropFirst().compactMap { part in
            guard part.hasPrefix("Option") || part.hasPrefix("Flag") else { return nil }
            return part.firstRange(of: "var ").map { range in
                part[range.upperBound...].prefix { $0.isLetter }
            }
        }
    }
}
