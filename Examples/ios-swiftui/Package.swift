// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// A test runner has a `main` of its own, so that of the app is called otherwise; bgrun finds both.
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
        // An app in SwiftUI's form.
        .target(
            name: "Stormy",
            dependencies: [
                .product(name: "BackgroundTasks", package: "bgrun-sdk"),
                .product(name: "SwiftUI", package: "bgrun-sdk"),
            ],
            swiftSettings: [pluginMain]),
        // An app in UIKit's form.
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
