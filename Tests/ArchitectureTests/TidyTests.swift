// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("Rules every source file keeps")
struct TidyTests {
    static let directories = ["Sources", "Tests", "Plugins"]
    let swift = directories.flatMap { SourceFile.all(in: $0, ["swift"]) }
    let c = directories.flatMap { SourceFile.all(in: $0, ["c", "cpp", "h"]) }

    @Test("a Swift file begins with the licence; a C file names it at the top")
    func licence() throws {
        try #require(!swift.isEmpty && !c.isEmpty)
        for file in swift {
            #expect(
                file.lines.first == "// SPDX-License-Identifier: Apache-2.0", "\(file.path)")
        }
        for file in c {
            #expect(
                file.lines.prefix(5).contains {
                    $0.contains("SPDX-License-Identifier: Apache-2.0")
                },
                "\(file.path)")
        }
    }

    @Test("no file has over 400 lines")
    func length() {
        for file in swift + c {
            #expect(file.lines.count <= 400, "\(file.path)")
        }
    }

    @Test("no file is a drawer for what has no place", arguments: ["util", "helper", "misc"])
    func names(word: String) {
        for file in swift + c {
            let name = file.path.split(separator: "/").last.map(String.init) ?? ""
            #expect(!name.lowercased().contains(word), "\(file.path)")
        }
    }

    @Test("nothing is tried by force")
    func force() {
        let forced = "try" + "!"
        for file in swift {
            for (number, text) in file.code {
                #expect(!text.contains(forced), "\(file.path):\(number)")
            }
        }
    }

    @Test("sendability nobody checks stands below a sentence that says why it holds")
    func unchecked() {
        let unchecked = "@unchecked" + " Sendable"
        for file in swift {
            for (number, text) in file.code where text.contains(unchecked) {
                let above = number > 1 ? file.lines[number - 2].drop { $0 == " " } : ""
                #expect(above.hasPrefix("//"), "\(file.path):\(number)")
            }
        }
    }

    @Test("JSON is decoded with `decode(_:text:)`, which no text can make end the process")
    func json() {
        // The first is that function; the next two end their text themselves; the last reads what its own
        // program wrote.
        let own: Set = [
            "JSONDecoder+Text.swift", "GatewayMessages.swift", "ServiceOrder.swift",
            "Transfer+Rows.swift",
        ]
        for file in SourceFile.all(in: "Sources", ["swift"])
        where file.path.split(separator: "/").last.map({ !own.contains(String($0)) }) ?? true {
            for (index, text) in file.lines.enumerated() where text.contains("JSONDecoder()") {
                let call = file.lines[index...].prefix(3).joined()
                #expect(call.contains("text:"), "\(file.path):\(index + 1)")
            }
        }
    }
}
