// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A language with a kit.
enum KitLanguage: String, CaseIterable, ExpressibleByArgument {
    case c, cpp, swift, rust, zig, go, python

    /// The files of a project in this language, relative to it. Each comes from the kit of the
    /// language, or from the kit of all languages.
    var files: [String] {
        let own =
            switch self {
            case .c: ["plugin.c"]
            case .cpp: ["plugin.cpp", "bgrun.hpp"]
            case .swift:
                [
                    "Package.swift", "Sources/Plugin/Plugin.swift",
                    "Sources/Handlers/Handlers.swift", "Sources/Handlers/Count.swift",
                    "Tests/HandlersTests/CountTests.swift",
                ]
            case .rust: ["Cargo.toml", "src/lib.rs", "src/bgrun.rs", "src/layout.rs"]
            case .zig: ["plugin.zig", "c.h"]
            case .go:
                [
                    "go.mod", "main.go", "main_test.go", "bgrun/bgrun.go", "bgrun/shim.c",
                    "bgrun/shim.h",
                ]
            case .python: ["handlers.py", "test_handlers.py"]
            }
        return ["README.md", "Makefile", ".gitignore", "kit-name.yaml", "test.sh"] + own
    }

    /// The program that builds it, and its Debian package; Debian has no Zig and no Swift.
    var tool: (program: String, package: String?) {
        switch self {
        case .c: ("cc", "gcc")
        case .cpp: ("c++", "g++")
        case .swift: ("swift", nil)
        case .rust: ("cargo", "cargo")
        case .zig: ("zig", nil)
        case .go: ("go", "golang-go")
        case .python: ("python3", "python3")
        }
    }

    /// The effect of `make` in this project.
    func building(_ name: String) -> String {
        self == .python ? "has nothing to build" : "builds lib\(name).so"
    }
}
