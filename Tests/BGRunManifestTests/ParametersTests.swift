// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BGRunManifest

@Suite("Parameters that replace those of a task", .timeLimit(.minutes(10)))
struct ParametersTests {
    @Test("replace their keys and keep the others")
    func merged() {
        #expect(
            Parameters.overlay(#"{"b":3,"c":[1]}"#, on: #"{"a":1,"b":2}"#)
                == #"{"a":1,"b":3,"c":[1]}"#)
        #expect(Parameters.overlay(nil, on: #"{"a":1}"#) == #"{"a":1}"#)
        #expect(Parameters.overlay("[]", on: #"{"a":1}"#) == #"{"a":1}"#)
    }

    @Test(
        "a text that is not a JSON object is refused with the position and the kind of the error",
        arguments: [
            (#"{"a": }"#, "invalid JSON at line 1, column 7: expected a value, found \"}\"; "),
            ("{a: 1}", "line 1, column 2: expected a key in double quotes, found \"a: 1}\""),
            ("{\"a\": 1,\n \"b\" 2}", "JSON at line 2, column 6: expected `:` after the key"),
            (#"{"a": [1, 2}"#, "column 12: expected `,` or `]`, found \"}\""),
            (#"{"a": 1"#, "column 8: expected `,` or `}`, found the end of the text"),
            (#"{"a": "b"#, "column 9: expected the closing quote of a string"),
            (#"{"a": 1} x"#, "column 10: expected the end of the text, found \"x\""),
            ("", "column 1: expected a value, found the end of the text"),
            ("{'a': 1}", "column 2: expected a key in double quotes"),
            (#"{"a": 1.}"#, "column 9: expected a digit"), (#"{"a": "\x"}"#, "after the backslash"),
            ("[1]", "must be a JSON object, not an array; write "),
            ("\"a\"", "must be a JSON object, not a string"), ("7", "not a number"),
            ("true", "not a boolean"), ("null", "not null"),
        ])
    func malformed(_ text: String, _ problem: String) throws {
        let found = try #require(Parameters.problem(of: text))
        #expect(found.contains(problem), "\(found)")
        #expect(found.hasSuffix("; write a JSON object, for example '{\"keep\": 3}'"))
    }

    @Test("a text that the decoder accepts has no error", arguments: 1...300)
    func syntax(_ seed: Int) {
        // A valid text with one byte changed.
        var bytes = Array(#"{"a":[1,-2.5e+3,{"b":"\u00e9\n"}],"c":null,"d":true}"#.utf8)
        let signs = Array(#"{}[]",:\u0e-.1 nt"#.utf8)
        bytes[seed * 7 % bytes.count] = signs[seed * 5 % signs.count]
        #expect((JSONValue(bytes) == nil) == (JSONSyntax.fault(in: bytes) != nil), "\(bytes)")
    }

    @Test("too many bytes are refused with their number and the limit")
    func large() throws {
        let most = #"{"a":""# + String(repeating: "x", count: Parameters.largest - 8) + "\"}"
        #expect(most.utf8.count == Parameters.largest)
        #expect(Parameters.problem(of: most) == nil)
        let problem = try #require(Parameters.problem(of: most + " "))
        #expect(problem.hasPrefix("too large: 1048577 bytes, and the limit is 1048576 bytes; "))
    }

    @Test("give an object, with any depth of nesting", arguments: 505...516)
    func deep(_ levels: Int) {
        let text =
            #"{"a":"# + String(repeating: "[", count: levels - 1)
            + String(repeating: "]", count: levels - 1) + "}"
        let overlaid = Parameters.overlay(text, on: #"{"command":"true"}"#)
        #expect(Parameters.problem(of: overlaid) == nil)
        #expect(JSONValue(text.utf8)?.text ?? text == text)
    }
}
