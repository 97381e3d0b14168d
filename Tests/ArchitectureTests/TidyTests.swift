// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("Rules of every source file", .timeLimit(.minutes(10)))
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
        // Headers of earlier versions of the ABI stay as they were released.
        for file in swift + c where !file.path.hasPrefix("Tests/ABI/headers/") {
            #expect(file.lines.count <= 400, "\(file.path)")
        }
    }

    @Test("the core header of the ABI has at most 300 lines, a header of an extension 200")
    func headers() throws {
        let headers = SourceFile.all(in: "Sources/ABI/include/bgrun", ["h"])
        try #require(headers.contains { $0.path.hasSuffix("bgrun/core.h") } && headers.count > 1)
        for header in headers {
            let most = header.path.hasSuffix("bgrun/core.h") ? 300 : 200
            #expect(header.lines.count <= most, "\(header.path)")
        }
    }

    @Test("a program has at most 15 lines: a module does its work")
    func programs() throws {
        let programs = SourceFile.all(in: "Sources/Programs", ["swift"])
        try #require(programs.count > 5)
        for program in programs { #expect(program.lines.count <= 15, "\(program.path)") }
    }

    @Test(
        "no file name contains `util`, `helper` or `misc`", arguments: ["util", "helper", "misc"])
    func names(word: String) {
        for file in swift + c {
            let name = file.path.split(separator: "/").last.map(String.init) ?? ""
            #expect(!name.lowercased().contains(word), "\(file.path)")
        }
    }

    @Test("no file contains a forced try")
    func force() {
        let forced = "try" + "!"
        for file in swift {
            for (number, text) in file.code {
                #expect(!text.contains(forced), "\(file.path):\(number)")
            }
        }
    }

    @Test("a check is active in release builds: `precondition`, in a build that keeps it")
    func checks() throws {
        for file in swift + c {
            for (number, text) in file.code where text.contains("assert") {
                #expect(
                    !text.contains(#/\b(assert|assertionFailure)\(/#), "\(file.path):\(number)")
            }
        }
        let unchecked = "-O" + "unchecked"
        for name in ["Makefile", "Package.swift", "SDK/Package.swift"] {
            let url = SourceFile.root.appending(path: name)
            #expect(!(try String(contentsOf: url, encoding: .utf8)).contains(unchecked), "\(name)")
        }
        for file in SourceFile.all(in: "Scripts", ["", "py", "sh"]) {
            #expect(!file.lines.contains { $0.contains(unchecked) }, "\(file.path)")
        }
    }

    @Test("an unchecked Sendable conformance has a comment that proves it")
    func unchecked() {
        let unchecked = "@unchecked" + " Sendable"
        for file in swift {
            for (number, text) in file.code where text.contains(unchecked) {
                let above = number > 1 ? file.lines[number - 2].drop { $0 == " " } : ""
                #expect(above.hasPrefix("//"), "\(file.path):\(number)")
            }
        }
    }

    @Test("an outermost suite has a time limit, which applies to each test in it")
    func timeLimits() throws {
        for (directory, fewest) in [("Tests", 300), ("SDK/Tests", 30), ("Tools/audit/Tests", 5)] {
            let suites = SourceFile.all(in: directory, ["swift"]).flatMap(Self.suites)
            try #require(suites.count > fewest, "\(directory)")
            for (place, head) in suites {
                #expect(head.contains(".timeLimit("), "\(place)")
            }
        }
    }

    /// The outermost declarations with tests, each with the place of its first test and the text above its body.
    private static func suites(_ file: SourceFile) -> [(place: String, head: String)] {
        var suites: [(place: String, head: String)] = []
        var head = ""
        var first: Int?
        var isBody = false
        for (number, text) in file.code {
            if text.drop(while: { $0 == " " }).hasPrefix("@Test") { first = first ?? number }
            if !isBody { head += text }
            if !isBody, text.hasSuffix("{"), !text.hasPrefix(" ") {
                isBody = true
            } else if text.hasPrefix("}") {
                if let first { suites.append(("\(file.path):\(first)", head)) }
                (head, first, isBody) = ("", nil, false)
            }
        }
        return suites
    }

    @Test("a process is signalled through a pidfd, or a comment states why its ID is used")
    func signals() {
        let files = ["Sources", "Plugins", "SDK/Sources"].flatMap {
            SourceFile.all(in: $0, ["swift", "c"])
        }
        let places = files.flatMap { file in
            file.code.filter { Self.signalsByID($0.text) }.map { "\(file.path):\($0.number)" }
        }
        #expect(
            places.map { $0.prefix { $0 != ":" } } == [
                // It sends no signal.
                "Sources/System/ProcessBranch.swift",
                "Sources/System/ProcessHandle.swift", "Sources/System/Shims/shims.c",
                "Plugins/exec/exec.c", "Plugins/exec/exec.c",
                "SDK/Sources/UserNotifications/Desktop.swift",
            ],
            "\(places)")
        for bad in [
            "kill(pid, SIGKILL)", "if let child { kill(child.pid, SIGTERM) }", "_ = kill(",
            "Glibc.kill(-group, SIGTERM)", "killpg(group, 0)", "return kill(0, SIGTERM)",
        ] {
            #expect(Self.signalsByID(bad), "\(bad)")
        }
        for good in [
            "func kill(_ attempt: Int64)", "case kill(attempt: Int64)", "supervisor.kill(attempt)",
            "case .kill(let attempt): runs[index].kill(at: now)", "kill()",
        ] {
            #expect(!Self.signalsByID(good), "\(good)")
        }
    }

    @Test("an event loop does not wait for the end of a process")
    func waits() {
        // These are commands, bgrun-init, which has no loop, and the start of a host, which waits only for a child that
        // it has killed.
        let blocking: Set = [
            "Sources/CLI/Run/Subprocess.swift", "Sources/Confinement/MachineProbe.swift",
            "Sources/Conformance/Trial/TrialSite.swift", "Sources/Programs/bgrun-init/main.c",
            "Sources/Supervisor/PluginProbe.swift", "Sources/System/Shims/shims.c",
            "Sources/Worker/Channel/HostChannel.swift",
        ]
        var count = 0
        for file in SourceFile.all(in: "Sources", ["swift", "c"]) {
            for (number, text) in file.code
            where text.contains("wait") && text.contains(#/\bwait(pid|4|id)\(/#) {
                count += 1
                #expect(
                    text.contains("WNOHANG") || blocking.contains(file.path),
                    "\(file.path):\(number)")
            }
        }
        #expect(count > 5)
    }

    private static func signalsByID(_ line: String) -> Bool {
        (line.contains("kill") || line.contains("sigqueue"))
            && !line.contains(#/(func|case) kill\(/#)
            && line.contains(
                #/(^|[^\w.]|Glibc\.)(kill|killpg|tgkill|pthread_kill|sigqueue)\((?!\))/#)
    }

    @Test("no literal is the beginning of a JSON object: `JSONText` and the encoder escape text")
    func handwrittenJSON() {
        let start = #/"\{\\"|#"\{"|^ *\{"/#
        for file in SourceFile.all(in: "Sources", ["swift"]) {
            // An `example:` is part of a message.
            for (number, text) in file.code
            where text.contains("{") && text.contains(start) && !text.contains("example:") {
                Issue.record("\(file.path):\(number): \(text)")
            }
        }
        for bad in [##"return "{\"a\":1}""##, ##"#"{"a":1}"#"##, ##"    {"a":1}"##] {
            #expect(bad.contains(start), "\(bad)")
        }
    }

    @Test("JSON is decoded with `decode(_:text:)`, which no input can crash")
    func json() {
        // The first file has that function; the next two terminate their text themselves; the last one reads
        // text that its own program wrote.
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
