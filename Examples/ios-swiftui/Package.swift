// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The test runner also has a `main`, so the app's `main` has another name; bgrun finds both names.
let pluginMain = SwiftSetting.unsafeFlags([
    "-Xfrontend", "-entry-point-function-name", "-Xfrontend", "bgrun_plugin_main",
])

let package = Package(
    name: "ios-swiftui",
    products: [
        .library(name: "Stormy", type: .dynamic, targets: ["Stormy"]),
        .library(name: "Mailbox", type: .dynamic, targets: ["Mailbox"]),
    ],
    // With bgrun installed: .package(name: "bgrun-sdk", path: "/usr/local/share/bgrun/sdk")
    dependencies: [.package(name: "bgrun-sdk", path: "../../SDK")],
    targets: [
        // A SwiftUI app.
        .target(
            name: "Stormy",
            dependencies: [
                .product(name: "BackgroundTasks", package: "bgrun-sdk"),
                .product(name: "SwiftUI", package: "bgrun-sdk"),
            ],
            swiftSettings: [pluginMain]),
        // A UIKit app.
        .target(
            name: "Mailbox",
            dependencies: [
                .product(name: "BackgroundTasks", package: "bgrun-sdk"),
                .product(name: "UIKit", package: "bgrun-sdk"),
            ]),
        // The app, launched and expired without a host.
        .testTarget(
            name: "StormyTests",
            dependencies: [
                "Stormy", .product(name: "BackgroundTasksTesting", package: "bgrun-sdk"),
            ]),
    ]
)
