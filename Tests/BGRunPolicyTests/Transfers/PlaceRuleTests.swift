// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("A path of a confined handler's transfer", .timeLimit(.minutes(10)))
struct PlaceRuleTests {
    @Test(
        "is below the directory",
        arguments: [
            ("/s/home/a", ["a"]), ("/s/home/a/b", ["a", "b"]), ("/s/home//a/./b", ["a", "b"]),
            ("/s/home/..a/b..", ["..a", "b.."]), ("/s/home/ä", ["ä"]),
            // Not "..", and not a slash less.
            ("/s/home/..\u{301}", ["..\u{301}"]), ("/s/home/a/\u{301}", ["a", "\u{301}"]),
        ])
    func below(_ path: String, _ names: [String]) {
        #expect(PlaceRule.names(of: path, below: "/s/home") == names)
        #expect(PlaceRule.names(of: path, below: "/s/home/") == names)
    }

    @Test(
        "is elsewhere, or the directory itself",
        arguments: [
            "", "a", "/", "/s", "/s/home", "/s/home/", "/s/home/.", "/s/home/a/", "/s/homes/a",
            "/s/other/a", "/s/home/..", "/s/home/../a", "/s/home/a/..", "/s/home/a/../../b",
            "/s/./home/a", "//s/home/a", "/s/home/a\0", "/s/home/..\0/a", "s/home/a",
            "/s/home/a\u{301}/../../b", "/s/home/\u{301}/../../../b",
        ])
    func elsewhere(_ path: String) {
        #expect(PlaceRule.names(of: path, below: "/s/home") == nil)
    }

    @Test("is not below a directory with the same characters in other bytes")
    func bytes() {
        #expect(PlaceRule.names(of: "/e\u{301}/a", below: "/\u{E9}") == nil)
    }

    @Test("is not below the root or a missing directory", arguments: ["", "/", "//"])
    func root(_ directory: String) {
        #expect(PlaceRule.names(of: "/a", below: directory) == nil)
    }
}
