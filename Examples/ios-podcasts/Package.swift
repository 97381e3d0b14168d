// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
    name: "Podcasts",
    products: [.library(name: "Podcasts", type: .dynamic, targets: ["Podcasts"])],
    // With bgrun installed: .package(name: "bgrun-sdk", path: "/usr/local/share/bgrun/sdk")
    dependencies: [.package(name: "bgrun-sdk", path: "../../SDK")],
    targets: [
        .target(
            name: "Podcasts",
            dependencies: [
                .product(name: "BGRunURLSession", package: "bgrun-sdk"),
                .product(name: "BackgroundTasks", package: "bgrun-sdk"),
                .product(name: "UIKit", package: "bgrun-sdk"),
            ])
    ]
)
