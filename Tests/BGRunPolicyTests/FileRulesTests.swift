// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("the rules of a confined handler's files", .timeLimit(.minutes(5)))
struct FileRulesTests {
    private static let shown = FileRules.Rule.shown(writable: false, isFile: false)

    @Test("the nearest rule at or above a path decides")
    func nearest() {
        var rules = FileRules()
        rules["/home"] = .hidden
        rules["/home/ada/photos"] = Self.shown
        #expect(rules.nearest(to: "/home/ada")?.path == "/home")
        #expect(rules.nearest(to: "/home/ada/photos/1.jpg")?.path == "/home/ada/photos")
        #expect(rules.nearest(to: "/home/ada/photos")?.rule == Self.shown)
        #expect(rules.nearest(to: "/homes") == nil)
        rules["/"] = Self.shown
        #expect(rules.nearest(to: "/homes")?.path == "/")
    }

    @Test("parents come before their children, whatever sorts between their names")
    func order() {
        var rules = FileRules()
        for path in ["/a/b", "/a-b", "/a", "/a/b/c", "/", "/a.d/e"] { rules[path] = .hidden }
        #expect(rules.ordered.map(\.path) == ["/", "/a", "/a/b", "/a/b/c", "/a-b", "/a.d/e"])
    }

    @Test("a path granted for writing stays writable when it is also granted for reading")
    func union() {
        var rules = FileRules()
        rules.show("/a", writable: true, isFile: false)
        rules.show("/a", writable: false, isFile: false)
        #expect(rules["/a"] == .shown(writable: true, isFile: false))
        rules["/b"] = .hidden
        rules.show("/b", writable: false, isFile: false)
        #expect(rules["/b"] == Self.shown)
    }

    @Test("a name that begins like a directory is not in it")
    func contains() {
        #expect(FileRules.contains("/a", "/a"))
        #expect(FileRules.contains("/a", "/a/b"))
        #expect(!FileRules.contains("/a", "/ab"))
        #expect(FileRules.contains("/", "/ab"))
        #expect(FileRules.parent(of: "/a") == "/")
        #expect(FileRules.parent(of: "/") == nil)
        var rules = FileRules()
        rules["/a/b"] = .hidden
        rules["/ab"] = .hidden
        #expect(rules.exceptions(below: "/a") == ["/a/b"])
    }
}
