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

    @Test("documents, caches, application support and temporary files exist, for the app only")
    func furnished() throws {
        let scratch = Self.scratch()
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        let home = scratch + "/state/app/home"
        for _ in 0..<2 {
            let variables = AppHome.furnish(home)
            #expect(
                variables.map(\.variable) == [
                    "CFFIXED_USER_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
                    "TMPDIR",
                ])
            #expect(variables.allSatisfy { isDirectory($0.path) && $0.path.hasPrefix(home) })
        }
        #expect(isDirectory(home + "/Documents") && isDirectory(home + "/Library/Caches"))
        let mode = try FileManager.default.attributesOfItem(atPath: home)[.posixPermissions]
        #expect(mode as? Int == 0o700)
    }

    @Test("without a place, or if it cannot be created, nothing changes")
    func nowhere() {
        for home in ["", "relative", "/dev/null/home"] {
            #expect(AppHome.furnish(home).isEmpty, "\(home)")
        }
    }

    @Test("inherited places do not take the app out of its home; those of the task do")
    func inherited() async {
        await #expect(processExitsWith: .success) {
            let scratch = Self.scratch()
            defer { try? FileManager.default.removeItem(atPath: scratch) }
            let home = scratch + "/app"
            let mine = scratch + "/mine"
            setenv("BGRUN_APP_HOME", home, 1)
            setenv("BGRUN_APP_HOME_KEEP", "LANG XDG_CACHE_HOME", 1)
            for name in ["TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
                setenv(name, mine, 1)
            }
            AppHome.prepare(app: "org.test.app")
            #expect(NSTemporaryDirectory() == home + "/tmp/")
            #expect(Self.value("XDG_CONFIG_HOME") == home + "/Library/Preferences")
            #expect(Self.value("XDG_DATA_HOME") == home + "/Library/Application Support")
            #expect(Self.value("XDG_CACHE_HOME") == mine)
        }
    }

    @Test("without the list of a newer host, no variable that is set is replaced")
    func olderHost() async {
        await #expect(processExitsWith: .success) {
            let scratch = Self.scratch()
            defer { try? FileManager.default.removeItem(atPath: scratch) }
            unsetenv("BGRUN_APP_HOME_KEEP")
            unsetenv("XDG_CONFIG_HOME")
            setenv("BGRUN_APP_HOME", scratch + "/app", 1)
            setenv("TMPDIR", scratch + "/mine", 1)
            AppHome.prepare(app: nil)
            #expect(Self.value("TMPDIR") == scratch + "/mine")
            #expect(Self.value("XDG_CONFIG_HOME") == scratch + "/app/Library/Preferences")
        }
    }

    @Test("the UserDefaults of an earlier version are copied into the home once")
    func defaults() async {
        await #expect(processExitsWith: .success) {
            let scratch = Self.scratch()
            defer { try? FileManager.default.removeItem(atPath: scratch) }
            let former = scratch + "/.config"
            let file = scratch + "/app/Library/Preferences/org.test.app.plist"
            try FileManager.default.createDirectory(
                atPath: former, withIntermediateDirectories: true)
            unsetenv("XDG_CONFIG_HOME")
            setenv("HOME", scratch, 1)
            setenv("BGRUN_APP_HOME", scratch + "/app", 1)
            setenv("BGRUN_APP_HOME_KEEP", "", 1)
            for text in ["first", "second"] {
                try Data(text.utf8).write(to: URL(fileURLWithPath: former + "/org.test.app.plist"))
                setenv("XDG_CONFIG_HOME", former, 1)
                AppHome.prepare(app: "org.test.app")
                #expect(try String(contentsOfFile: file, encoding: .utf8) == "first")
            }
            // As Foundation does when the app removes its last value.
            unlink(file)
            setenv("XDG_CONFIG_HOME", former, 1)
            AppHome.prepare(app: "org.test.app")
            #expect(!FileManager.default.fileExists(atPath: file))
        }
    }

    private static func scratch() -> String {
        FileManager.default.temporaryDirectory
            .appendingPathComponent("home-\(UUID().uuidString)").path
    }

    private static func value(_ variable: String) -> String? {
        getenv(variable).map { String(cString: $0) }
    }
}
