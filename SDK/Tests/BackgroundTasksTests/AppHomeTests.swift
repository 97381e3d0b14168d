// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation
import Testing

@Suite("The app's home", .timeLimit(.minutes(1)))
struct AppHomeTests {
    private func isDirectory(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
            && isDirectory.boolValue
    }

    @Test("Documents, caches, application support and temporary files are there, for the app alone")
    func furnished() throws {
        let scratch = FileManager.default.temporaryDirectory
            .appendingPathComponent("home-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        let home = scratch + "/state/app/home"
        for _ in 0..<2 {
            let variables = AppHome.furnish(home)
            #expect(
                variables.map(\.variable) == [
                    "CFFIXED_USER_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "TMPDIR",
                ])
            #expect(variables.allSatisfy { isDirectory($0.path) && $0.path.hasPrefix(home) })
        }
        #expect(isDirectory(home + "/Documents") && isDirectory(home + "/Library/Caches"))
        let mode = try FileManager.default.attributesOfItem(atPath: home)[.posixPermissions]
        #expect(mode as? Int == 0o700)
    }

    @Test("without a place, or where none can be made, all stays as it is")
    func nowhere() {
        for home in ["", "relative", "/dev/null/home"] {
            #expect(AppHome.furnish(home).isEmpty, "\(home)")
        }
    }
}
