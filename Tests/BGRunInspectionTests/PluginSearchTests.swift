// SPDX-License-Identifier: Apache-2.0

import BGRunInspection
import Testing

@Suite("The search for shipped plugins", .timeLimit(.minutes(10)))
struct PluginSearchTests {
    @Test("uses the executable's directory, plugins, SwiftPM's build directory and the prefix")
    func order() {
        let built = PluginSearch(executableDirectory: "/w/.build/x86_64-unknown-linux-gnu/release")
        #expect(
            built.candidates("exec") == [
                "/w/.build/x86_64-unknown-linux-gnu/release/libbgrun-exec.so",
                "/w/.build/x86_64-unknown-linux-gnu/release/plugins/libbgrun-exec.so",
                "/w/.build/x86_64-unknown-linux-gnu/plugins/libbgrun-exec.so",
                "/w/.build/plugins/libbgrun-exec.so",
                "/w/.build/x86_64-unknown-linux-gnu/lib/bgrun/plugins/libbgrun-exec.so",
            ])
        let installed = PluginSearch(executableDirectory: "/usr/local/bin/")
        #expect(
            installed.candidates("exec").contains("/usr/local/lib/bgrun/plugins/libbgrun-exec.so"))
    }

    @Test("`..` stops at the root")
    func root() {
        #expect(
            PluginSearch(executableDirectory: "/").candidates("exec") == [
                "/libbgrun-exec.so", "/plugins/libbgrun-exec.so", "/plugins/libbgrun-exec.so",
                "/plugins/libbgrun-exec.so", "/lib/bgrun/plugins/libbgrun-exec.so",
            ])
    }

    @Test(
        "a name that could leave the directory is not found",
        arguments: ["", "a/b", "..", "a.b", "é", "a\0"])
    func names(name: String) {
        #expect(PluginSearch(executableDirectory: "/usr/bin").candidates(name).isEmpty)
    }

    @Test(
        "a file belongs to the plugin whose candidate it is",
        arguments: [
            ("libbgrun-exec.so", "exec"), ("libbgrun-hello-c.so", "hello-c"),
            ("libbgrun-.so", nil), ("libbgrun-a.b.so", nil), ("libexec.so", nil),
            ("libbgrun-exec.so.1", nil), ("bgrun", nil),
        ] as [(String, String?)])
    func files(file: String, name: String?) {
        #expect(PluginSearch.name(ofFile: file) == name)
        guard let name else { return }
        let search = PluginSearch(executableDirectory: "/usr/bin")
        #expect(search.candidates(name) == search.directories.map { "\($0)/\(file)" })
    }
}
