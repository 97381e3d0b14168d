// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("Plugins of third parties", .timeLimit(.minutes(5)))
struct ThirdPartyTests {
    @Test("a plugin that is built outside the package with pkg-config runs")
    func thirdParty() async throws {
        try await Sandbox.with { box in
            let script = """
                set -eu
                prefix=$PWD/prefix
                "$PACKAGE/Scripts/install-headers" "$prefix/include"
                mkdir -p "$prefix/lib/pkgconfig"
                sed -e "s|@PREFIX@|$prefix|" -e 's|@VERSION@|0.0.0|' \
                    "$PACKAGE/Scripts/bgrun.pc.in" >"$prefix/lib/pkgconfig/bgrun.pc"
                cp -r "$PACKAGE/Examples/third-party-plugin" example
                export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
                make -C example CFLAGS=-Werror
                """
            let built = try await box.startShell(
                "cd '\(box.directory)'; PACKAGE='\(Built.package)'\n" + script
            ).end()
            try #require(built.code == 0, "\(built.output)\(built.error)")
            let manifest = box.directory + "/example/words.yaml"
            let run = try await box.start(["-m", manifest, "--state", box.state]).end()
            #expect(run.code == 0, "\(run.error)")
            #expect(run.error.contains("Task completed with identifier com.example.words.count"))
            await box.expectNothingLeft()
        }
    }
}
