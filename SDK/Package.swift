// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import CompilerPluginSupport
import Foundation
import PackageDescription

/// Whether this is bgrun's repository; what `make install` copies has no tests.
let isRepository = FileManager.default.fileExists(atPath: "\(Context.packageDirectory)/Tests")

/// Every Swift target of ours is built with these: strict, and, where we can mend it, with no
/// warning left.
let strict: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        // Apple's frameworks do not trap where Swift 5 code uses the main actor's on another thread.
        .unsafeFlags(["-Xfrontend", "-disable-dynamic-actor-isolation"]),
        // Each plugin contains the SDK, each worker loads a plugin, and none of this is a hot path.
        .unsafeFlags(["-Osize"], .when(configuration: .release)),
    ] + (isRepository ? [.treatAllWarnings(as: .error)] : [])

/// Of a plugin's symbols only the entry leaves the library. `Scripts/tsan-sdk` sets BGRUN_TSAN: other
/// libraries must find the malloc and free of ThreadSanitizer in the executable of the tests.
let exportsEntryOnly: [LinkerSetting] =
    isRepository && Context.environment["BGRUN_TSAN"] != nil
    ? []
    : [
        .unsafeFlags([
            "-Xlinker",
            "--version-script=\(Context.packageDirectory)/Sources/CBGRunPlugin/plugin.version",
        ])
    ]

/// What the files of an app import beside UIKit and SwiftUI.
let besides = [
    "Combine", "CoreGraphics", "CoreTransferable", "MetricKit", "Network", "OSLog", "QuartzCore",
    "UniformTypeIdentifiers", "UserNotifications", "WidgetKit", "os",
]

let package = Package(
    name: "bgrun-sdk",
    products: [
        .library(name: "BackgroundTasks", targets: ["BackgroundTasks", "OSLog", "os"]),
        .library(name: "UIKit", targets: ["UIKit"] + besides),
        .library(name: "SwiftUI", targets: ["SwiftUI"] + besides),
        .library(name: "BGRunURLSession", targets: ["BGRunURLSession"]),
        // All of it, for the files of an app.
        .library(name: "BGRunIOS", targets: ["BGRunIOS", "BackgroundTasks", "SwiftUI"] + besides),
        .library(name: "BackgroundTasksTesting", targets: ["BackgroundTasksTesting"]),
    ],
    targets: [
        // The ABI: headers and nothing else.
        .target(name: "CBGRunPlugin", exclude: ["plugin.version"]),
        // Finds the plugin's own main.
        .target(name: "CBGRunEntry"),
        // The entry, and the host's table as Swift values: what everything else here is built on.
        .target(
            name: "BGRunPluginRuntime", dependencies: ["CBGRunEntry", "CBGRunPlugin"],
            swiftSettings: strict, linkerSettings: exportsEntryOnly),
        // Of ProcessInfo, what Foundation lacks on Linux: low-power mode and heat.
        .target(
            name: "BGRunConditions", dependencies: ["BGRunPluginRuntime"], swiftSettings: strict),
        // What Apple's Foundation has, and that of Linux lacks.
        .target(
            name: "BGRunFoundation", dependencies: ["BGRunConditions", "BGRunPluginRuntime"],
            swiftSettings: strict),
        // Apple's framework.
        .target(
            name: "BackgroundTasks", dependencies: ["BGRunFoundation", "BGRunPluginRuntime"],
            swiftSettings: strict),
        // Publishers, in place of Apple's.
        .target(name: "Combine", dependencies: ["BGRunFoundation"], swiftSettings: strict),
        // Log, local notifications, network, widgets: the names, and what bgrun has for them.
        .target(name: "CBGRunOS"),
        .target(
            name: "os", dependencies: ["BGRunPluginRuntime", "CBGRunOS"], swiftSettings: strict),
        .target(name: "OSLog", dependencies: ["os"], swiftSettings: strict),
        .target(
            name: "UserNotifications", dependencies: ["BGRunPluginRuntime"], swiftSettings: strict),
        .target(name: "Network", dependencies: ["BGRunPluginRuntime"], swiftSettings: strict),
        .target(
            name: "MetricKit", dependencies: ["BGRunPluginRuntime", "os"], swiftSettings: strict),
        .target(name: "WidgetKit", swiftSettings: strict),
        // Numbers, times and types of files.
        .target(name: "CoreGraphics", swiftSettings: strict),
        .target(
            name: "QuartzCore", dependencies: ["BGRunFoundation"], swiftSettings: strict),
        .target(name: "UniformTypeIdentifiers", swiftSettings: strict),
        // The system's library, by Apple's name of its module. A dependency of what apps depend on:
        // a product cannot contain it. Without its header, only code that imports it fails to build.
        .systemLibrary(name: "SQLite3"),
        // What apps would exchange with others.
        .target(
            name: "CoreTransferable", dependencies: ["UniformTypeIdentifiers"],
            swiftSettings: strict),

        // Makes an object of a class that is known at run time only.
        .target(name: "CNSObject"),
        // Empty; what the compiler looks for in tests that import UIKit.
        .target(name: "_Testing_UIKit", swiftSettings: strict),
        // The life cycle of Apple's UIKit: the application and its delegate.
        .target(
            name: "UIKit",
            dependencies: [
                "BGRunFoundation", "BGRunPluginRuntime", "CNSObject", "SQLite3",
                "UserNotifications", "_Testing_UIKit",
            ],
            swiftSettings: strict),
        // Expands #Preview to nothing, and @Entry, inside the compiler.
        .macro(name: "SwiftUIMacros", swiftSettings: strict),
        // The life cycle of Apple's SwiftUI: app, scenes, background tasks; inert views.
        .target(
            name: "SwiftUI",
            dependencies: [
                "BGRunPluginRuntime", "Combine", "CoreTransferable", "SwiftUIMacros", "UIKit",
                "UniformTypeIdentifiers",
            ],
            swiftSettings: strict),
        // Background URL sessions under Apple's names, before those of FoundationNetworking. Apart,
        // since loading that takes as long as everything else.
        .target(
            name: "BGRunURLSession",
            dependencies: ["BGRunFoundation", "BGRunPluginRuntime", "Combine"],
            swiftSettings: strict),
        // What files that import Foundation find on iOS.
        .target(
            name: "BGRunIOS", dependencies: ["BGRunFoundation", "BGRunURLSession", "SQLite3"],
            swiftSettings: strict),
        // A host, a device and a clock for the tests of handlers.
        .target(
            name: "BackgroundTasksTesting",
            dependencies: [
                "BGRunPluginRuntime", "BackgroundTasks", "CBGRunPlugin", "UIKit", "SwiftUI",
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c17
)

if isRepository {
    package.targets += [
        .testTarget(
            name: "BackgroundTasksTestingTests", dependencies: ["BackgroundTasksTesting"],
            swiftSettings: strict),
        // Apps as people write them, under the testing kit.
        .testTarget(
            name: "LifeCycleTests",
            dependencies: [
                "BackgroundTasksTesting", "Network", "SwiftUI", "UIKit", "iOSLife5", "iOSLife6",
                "iOSMain5", "iOSMain6",
            ],
            swiftSettings: strict),
        // The same iOS code for authors of either language mode.
        .target(
            name: "iOSCode5", dependencies: ["BackgroundTasks"], path: "Tests/iOSCode5",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .target(
            name: "iOSCode6", dependencies: ["BackgroundTasks"], path: "Tests/iOSCode6",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // An app's use of UIApplication from other threads, for either language mode.
        .target(
            name: "iOSLife5", dependencies: ["BackgroundTasks", "UIKit"], path: "Tests/iOSLife5",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .target(
            name: "iOSLife6", dependencies: ["BackgroundTasks", "UIKit"], path: "Tests/iOSLife6",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // An app of a project that Xcode 26 makes: all of it is the main actor's.
        .target(
            name: "iOSMain5", dependencies: ["BGRunIOS", "BackgroundTasks", "SwiftUI", "UIKit"],
            path: "Tests/iOSMain5",
            swiftSettings: [.swiftLanguageMode(.v5), .defaultIsolation(MainActor.self)]),
        .target(
            name: "iOSMain6", dependencies: ["BGRunIOS", "BackgroundTasks", "SwiftUI", "UIKit"],
            path: "Tests/iOSMain6",
            swiftSettings: [
                .swiftLanguageMode(.v6), .defaultIsolation(MainActor.self),
                .enableUpcomingFeature("InferIsolatedConformances"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ]),
        // A download manager of an iOS app, for either language mode.
        .target(
            name: "iOSTransfers5", dependencies: ["BGRunURLSession", "UIKit"],
            path: "Tests/iOSTransfers5", swiftSettings: [.swiftLanguageMode(.v5)]),
        .target(
            name: "iOSTransfers6", dependencies: ["BGRunURLSession", "UIKit"],
            path: "Tests/iOSTransfers6", swiftSettings: [.swiftLanguageMode(.v6)]),
        // Apple's rules for background sessions, under the testing kit.
        .testTarget(
            name: "TransferTests",
            dependencies: [
                "BGRunURLSession", "BackgroundTasksTesting", "Combine", "SwiftUI", "UIKit",
                "iOSTransfers5", "iOSTransfers6",
            ],
            swiftSettings: strict),
        .testTarget(name: "CombineTests", dependencies: ["Combine"], swiftSettings: strict),
        // What else iOS code uses, under the testing kit.
        .testTarget(
            name: "SymbolTests",
            dependencies: [
                "BackgroundTasksTesting", "Combine", "Network", "QuartzCore", "UIKit",
                "UniformTypeIdentifiers", "UserNotifications", "os",
            ],
            swiftSettings: strict),
        // The daily metrics, with dates given.
        .testTarget(
            name: "MetricKitTests", dependencies: ["BackgroundTasksTesting", "MetricKit"],
            swiftSettings: strict),
        // Apple's rules, against a host made of the C table.
        .testTarget(
            name: "BackgroundTasksTests",
            dependencies: ["BGRunPluginRuntime", "BackgroundTasks", "CBGRunPlugin", "UIKit"],
            swiftSettings: strict),
    ]
}
