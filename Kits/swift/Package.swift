// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0 OR 0BSD

import PackageDescription

let package = Package(
    name: "kit-name",
    products: [.library(name: "kit-name", type: .dynamic, targets: ["Plugin"])],
    dependencies: [
        // It comes with bgrun; BGRUN_SDK says where it is on another machine.
        .package(path: Context.environment["BGRUN_SDK"] ?? "kit-sdk")
    ],
    targets: [
        // The plugin's main type: which handler runs what.
        .target(
            name: "Plugin",
            dependencies: ["Handlers", .product(name: "BackgroundTasks", package: "sdk")]),
        // What handlers do.
        .target(
            name: "Handlers", dependencies: [.product(name: "BackgroundTasks", package: "sdk")]),
        .testTarget(name: "HandlersTests", dependencies: ["Handlers"]),
    ],
    swiftLanguageModes: [.v6]
)
