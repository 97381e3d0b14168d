// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// Every Swift target of ours is built with these: strict, and with no warning left.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "bgrun",
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        // The ABI: one header and nothing else.
        .target(name: "CBGRunPlugin"),
        // System calls Swift cannot make; C libraries.
        .target(name: "CBGRunShims"),
        .systemLibrary(
            name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CFFI", pkgConfig: "libffi", providers: [.apt(["libffi-dev"])]),

        // The policy: values and rules, imports nothing.
        .target(name: "BGRunCore", swiftSettings: strict),

        // What crosses a process boundary.
        .target(name: "BGRunWire", dependencies: ["BGRunCore"], swiftSettings: strict),

        // YAML in, checked values out.
        .target(
            name: "BGRunManifest", dependencies: ["BGRunCore", "BGRunWire", "CYAML"],
            swiftSettings: strict),

        .testTarget(name: "BGRunCoreTests", dependencies: ["BGRunCore"], swiftSettings: strict),
        // Reads its cases and Docs/manifest.md from the source tree.
        .testTarget(
            name: "BGRunManifestTests", dependencies: ["BGRunManifest", "BGRunCore", "BGRunWire"],
            exclude: ["Cases"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c17
)
