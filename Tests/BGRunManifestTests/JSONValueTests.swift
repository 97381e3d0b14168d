// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BGRunManifest

@Suite("JSON of any shape", .timeLimit(.minutes(10)))
struct JSONValueTests {
    @Test(
        "is written as it was read, with sorted keys",
        arguments: [
            #"{"a":[1,-2,1.5,true,null],"b":{"c":"d/\"e\""}}"#, #""text""#, "[]", "{}", "0.1",
            "18446744073709551615", "123456789012345678901234567890", "-9223372036854775808",
            "1e-07",
        ])
    func bytes(_ text: String) throws {
        #expect(try #require(JSONValue(text.utf8)).text == text)
    }

    @Test("distinguishes numbers, booleans and null")
    func kinds() throws {
        let value = try #require(JSONValue(#"[0, 1, true, false, null, "1", 2.0]"#.utf8))
        #expect(
            value
                == .array([
                    .integer(0), .integer(1), .bool(true), .bool(false), .null, .string("1"),
                    .integer(2),
                ]))
    }

    @Test(
        "excludes any other text",
        arguments: ["", "{", "[1", "nul", "1 2", #"{"a"}"#, "\u{FEFF}", "'a'", "NaN"])
    func malformed(_ text: String) {
        #expect(JSONValue(text.utf8) == nil)
    }

    @Test("has a limited depth")
    func depth() {
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        #expect(JSONValue(deep.utf8) == nil)
    }

    @Test("has integers, which are numbers in range without a fraction")
    func integer() {
        #expect(JSONValue.integer(5).integer == 5)
        #expect(JSONValue.number(5).integer == 5)
        #expect(JSONValue.number(5.5).integer == nil)
        #expect(JSONValue.number(1e300).integer == nil)
        #expect(JSONValue.bool(true).integer == nil)
    }

    @Test("excludes a text that ends with the bracket of its last level", arguments: 510...515)
    func lastLevel(levels: Int) {
        for bracket in ["[", "{"] {
            let text = String(repeating: "[", count: levels - 1) + bracket
            #expect(JSONValue(text.utf8) == nil)
        }
    }
}
