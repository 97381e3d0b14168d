// SPDX-License-Identifier: Apache-2.0

import BGRunConfinement
import Testing

@Suite("The forms of `explain --access`", .timeLimit(.minutes(10)))
struct AccessRequestTests {
    @Test(
        "paths become absolute, ports are numbers",
        arguments: [
            ("read:/a/./b/../c/", "read:/a/c"), ("write:x", "write:/work/x"),
            ("write:../x", "write:/x"), ("execute:~/bin/tool", "execute:/home/ada/bin/tool"),
            ("read:~", "read:/home/ada"), ("read:a:b", "read:/work/a:b"), ("read:/..", "read:/"),
            ("connect:443", "connect:443"), ("listen:1", "listen:1"), ("udp", "udp"),
            ("socket:/run/a.sock", "socket:/run/a.sock"),
        ])
    func valid(_ text: String, _ expected: String) {
        #expect(AccessRequest(text, in: "/work", home: "/home/ada")?.text == expected)
    }

    @Test(
        "other texts are refused",
        arguments: [
            "", "read", "read:", "open:/x", "connect:0", "connect:65536", "connect:http", "udp:53",
            "/x",
        ])
    func invalid(_ text: String) {
        #expect(AccessRequest(text, in: "/work", home: "/home/ada") == nil)
    }

    @Test("`~` needs an absolute home")
    func home() {
        #expect(AccessRequest("read:~/x", in: "/work", home: nil) == nil)
        #expect(AccessRequest("read:~/x", in: "/work", home: "ada") == nil)
        #expect(AccessRequest("read:~x", in: "/work", home: nil)?.text == "read:/work/~x")
    }
}
