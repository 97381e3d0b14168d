// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
    name: "ios-swiftui",
    products: [
        .library(name: "Stormy", type: .dynamic, targets: ["Stormy"]),
        .library(name: "Mailbox", type: .dynamic, targets: ["Mailbox"]),
    ],
    dependencies: [.package(name: "bgrun-sdk", path: "../../SDK")],
    targets: [
        // An app in SwiftUI's form.
        .target(
            name: "Stormy",
            dependencies: [
                .product(name: "BackgroundTasks", package: "bgrun-sdk"),
                .product(name: "SwiftUI", package: "bgrun-sdk"),
            ]),
        // An app in UIKit's form.
        .target(
            name: "Mailbox",
            dependencies: [
                .product(name: "BackgroundTasks", package: "bgrun-sdk"),
                .product(name: "UIKit", package: "bgrun-sdk"),
            ]),
    ]
)
