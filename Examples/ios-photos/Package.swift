// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
    name: "Photos",
    products: [.library(name: "Photos", type: .dynamic, targets: ["Photos"])],
    // With bgrun installed: .package(name: "bgrun-sdk", path: "/usr/local/share/bgrun/sdk")
    dependencies: [.package(name: "bgrun-sdk", path: "../../SDK")],
    targets: [
        .target(
            name: "Photos",
            dependencies: [.product(name: "BackgroundTasks", package: "bgrun-sdk")])
    ]
)
