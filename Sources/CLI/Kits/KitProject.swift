// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import FoundationEssentials

/// A project made from a kit: the kit's files with the project's names.
struct KitProject {
    let language: KitLanguage
    /// The name of the plugin: its library, its key in the manifest.
    let name: String
    /// The identifier of the app, the prefix of its tasks.
    let identifier: String
    /// The directory of the new project.
    let directory: String

    enum Problem: Error, Equatable {
        case name(String)
        case identifier(String)
        /// This file of the project already exists.
        case exists(String)
        /// This file of the kit is missing in the installation.
        case missing(String)
        case write(String, String)

        var message: String {
            switch self {
            case .name(let name):
                """
                "\(name)" is not a plugin name; write lowercase letters, digits and single \
                hyphens, a letter first, at most \(KitProject.longestName): photo-export
                """
            case .identifier(let identifier):
                """
                "\(identifier)" is not an app identifier; write letters, digits, "-" and "_" \
                in parts with dots between them: com.example.photos
                """
            case .exists(let path):
                "\(path) exists; nothing was written. Name another directory, or move it away"
            case .missing(let path):
                "\(path) is missing, a file of the kits that come with bgrun; install bgrun again"
            case .write(let path, let why): "\(path) could not be written: \(why)"
            }
        }
    }

    static let longestName = 64
    /// Tasks are named below the identifier of the app.
    private static let longestIdentifier = 255 - ".count".utf8.count

    init(
        language: KitLanguage, name: String, identifier: String, directory: String
    ) throws(Problem) {
        guard Self.isName(name) else { throw .name(name) }
        guard IdentifierRule.isWellFormed(identifier),
            identifier.utf8.count <= Self.longestIdentifier
        else { throw .identifier(identifier) }
        self.language = language
        self.name = name
        self.identifier = identifier
        self.directory = directory
    }

    /// Writes the project and returns its files, relative to it; never changes an existing file.
    /// - Parameters:
    ///   - kits: The directory of the kits.
    ///   - sdk: The directory of the Swift package that a Swift project uses.
    func write(kits: String, sdk: String) throws(Problem) -> [String] {
        var files: [(path: String, contents: Data, mode: Int)] = []
        for file in language.files {
            let (contents, mode) = try template(file, kits: kits)
            let text = named(String(decoding: contents, as: UTF8.self), sdk: sdk)
            files.append((named(file, sdk: sdk), Data(text.utf8), mode))
        }
        for file in files where Self.isThere("\(directory)/\(file.path)") {
            throw .exists("\(directory)/\(file.path)")
        }
        for file in files {
            try create("\(directory)/\(file.path)", file.contents, mode: file.mode)
        }
        return files.map(\.path)
    }

    /// 1 to 64 lowercase letters, digits and single hyphens, which begin with a letter and do
    /// not end with a hyphen: valid for Cargo, Go, SwiftPM and the linker.
    private static func isName(_ name: String) -> Bool {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        return name.utf8.count <= longestName && parts.allSatisfy { !$0.isEmpty }
            && name.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-".utf8.contains($0) }
            && name.first.map { $0.isLetter } == true
    }

    /// Replaces the kits' plugin name `kit-name` and app name `com.example.kit-name`.
    private func named(_ text: String, sdk: String) -> String {
        text.replacing("com.example.kit-name", with: identifier).replacing("kit-name", with: name)
            .replacing("kit-sdk", with: sdk)
    }

    private func template(
        _ file: String, kits: String
    ) throws(Problem) -> (contents: Data, mode: Int) {
        let places = [language.rawValue, "common"].map { "\(kits)/\($0)/\(file)" }
        guard let path = places.first(where: Self.isThere),
            let contents = FileManager.default.contents(atPath: path)
        else { throw .missing(places[0]) }
        return (contents, FileManager.default.isExecutableFile(atPath: path) ? 0o755 : 0o644)
    }

    private func create(_ path: String, _ contents: Data, mode: Int) throws(Problem) {
        do {
            let parent = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
            try FileManager.default.createDirectory(
                atPath: parent, withIntermediateDirectories: true)
            try contents.write(to: URL(fileURLWithPath: path), options: .withoutOverwriting)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        } catch {
            throw .write(path, error.fileReason)
        }
    }

    /// Whether an entry of this name exists, including a broken link.
    private static func isThere(_ path: String) -> Bool {
        (try? FileManager.default.attributesOfItem(atPath: path)) != nil
    }
}
