// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0 OR 0BSD

import PackageDescription

let package = Package(
    name: "kit-name",
    products: [.library(name: "kit-name", type: .dynamic, targets: ["Plugin"])],
    dependencies: [
        // bgrun installs it; BGRUN_SDK names its directory on another machine.
        .package(path: Context.environment["BGRUN_SDK"] ?? "kit-sdk")
    ],
    targets: [
        // The plugin's main type. Separate from the handlers, whose tests have another main.
        .target(
            name: "Plugin",
            dependencies: ["Handlers", .product(name: "BackgroundTasks", package: "sdk")]),
        .target(
            name: "Handlers", dependencies: [.product(name: "BackgroundTasks", package: "sdk")]),
        .testTarget(
            name: "HandlersTests",
            dependencies: ["Handlers", .product(name: "BackgroundTasksTesting", package: "sdk")]),
    ],
    swiftLanguageModes: [.v6]
)
