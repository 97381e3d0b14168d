// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

// A separate package: swift-syntax takes longer to build than all of bgrun.
let package = Package(
    name: "bgrun-audit",
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
    ],
    targets: [
        // Turns Swift sources into findings.
        .target(
            name: "BGRunAudit",
            dependencies: [
                .product(name: "SwiftOperators", package: "swift-syntax"),
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "bgrun-audit",
            dependencies: [
                "BGRunAudit",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BGRunAuditTests", dependencies: ["BGRunAudit", "bgrun-audit"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
