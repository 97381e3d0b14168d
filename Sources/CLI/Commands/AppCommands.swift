// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunControl
import BGRunManifest
import BGRunPolicy
import BGRunStorage
import FoundationEssentials
import Glibc

struct OpenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Record that the user opened the app.",
        discussion: """
            Ends a force quit. bgrun learns when the app is opened, and launches refreshes before \
            the times at which it probably will be. Works with and without a running host.

            Example: bgrun open --app com.example.notes
            """)

    @OptionGroup var app: AppOptions

    func run() throws {
        try app.tell(ControlRequest(.open))
        print("Opened the app")
    }
}

struct QuitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quit",
        abstract: "Record that the user force-quit the app.",
        discussion: """
            Running attempts expire, and nothing is launched until `bgrun open` (Apple: swiped \
            away in the app switcher). Works with and without a running host.

            Example: bgrun quit --force --app com.example.notes
            """)

    @OptionGroup var app: AppOptions

    @Flag(help: "By force. An app that is merely left continues in the background.")
    var force = false

    func validate() throws {
        if !force {
            throw ValidationError(
                "an app that is merely left continues in the background; use --force")
        }
    }

    func run() throws {
        try app.tell(ControlRequest(.quit))
        print("Force-quit the app: nothing is launched until `bgrun open`")
    }
}

struct RefreshCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Switch the app's background refresh on or off.",
        discussion: """
            While it is off, only continued work is launched, and requests wait (Apple: Background \
            App Refresh). `restricted` means off by an administrator: only root sets it, and only \
            root ends it. Works with and without a running host.

            Example: bgrun refresh off --app com.example.notes
            """)

    enum Position: String, ExpressibleByArgument, CaseIterable {
        case on, off, restricted

        var state: RefreshSwitch {
            switch self {
            case .on: .available
            case .off: .denied
            case .restricted: .restricted
            }
        }
    }

    @OptionGroup var app: AppOptions

    @Argument(help: "on, off or restricted")
    var position: Position

    func run() throws {
        let state = position.state
        if geteuid() != 0, try state == .restricted || app.refreshSwitch() == .restricted {
            throw Exit.refused.reporting(
                "only root may restrict background refresh, or change it while it is restricted")
        }
        try app.tell(ControlRequest(.refresh, refresh: state))
        print("Background refresh is \(position.rawValue)")
    }
}

extension AppOptions {
    /// The setting in the store.
    fileprivate func refreshSwitch() throws -> RefreshSwitch {
        let manifest = try readManifest()
        let state = try stateDirectory(of: manifest.app)
        guard FileManager.default.fileExists(atPath: state.database) else { return .available }
        return try state.openStoreToRead().appFacts().refreshSwitch
    }

    fileprivate func tell(_ request: ControlRequest) throws {
        let manifest = try readManifest()
        _ = try HostAccess.change(request, manifest, try stateDirectory(of: manifest.app))
    }
}
