// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunAudit
import FoundationEssentials

/// The Swift files of one run.
struct SourceSet {
    private(set) var files: [SourceFile] = []
    /// Whether a file was skipped.
    private(set) var hasProblems = false

    /// Reads files, and the Swift files of directories except hidden ones such as `.build`, and
    /// tests. Reports and skips files that are not Swift; ends the command if one is missing.
    init(paths: [String]) throws {
        var seen: Set<String> = []
        for path in paths {
            var isDirectory = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
                complain("\(path) does not exist")
                throw ExitCode(66)
            }
            let found = isDirectory ? Self.swiftFiles(in: path) : [path]
            for file in found where seen.insert(file).inserted { add(file, wasFound: isDirectory) }
        }
        if files.isEmpty && !hasProblems {
            complain("\(paths.joined(separator: ", ")): no Swift files")
            throw ExitCode(66)
        }
    }

    private mutating func add(_ path: String, wasFound: Bool) {
        do throws(DeclaredError) {
            let bytes = try FileContent.bytes(of: path)
            guard let text = String(validating: bytes, as: UTF8.self) else {
                return leaveOut("\(path): not UTF-8, left out")
            }
            let file = SourceFile(path: path, text: text)
            if let place = file.syntaxError {
                return leaveOut(
                    "\(path):\(place.line):\(place.column): this is not Swift, file left out")
            }
            if wasFound && file.isTest { return }
            files.append(file)
        } catch {
            leaveOut(error.message)
        }
    }

    private mutating func leaveOut(_ message: String) {
        complain(message)
        hasProblems = true
    }

    /// Sorted; does not follow symbolic links to directories.
    private static func swiftFiles(in directory: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.sorted().filter { !$0.hasPrefix(".") }.flatMap { name -> [String] in
            let path = directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
            let type = try? FileManager.default.attributesOfItem(atPath: path)[.type]
            if type as? FileAttributeType == .typeDirectory { return swiftFiles(in: path) }
            return name.hasSuffix(".swift") ? [path] : []
        }
    }

    /// Applies fixes until none is left, because one can make another possible, and writes the
    /// files. Returns the remaining findings.
    mutating func fix(
        _ findings: [Finding], again: ([SourceFile]) -> [Finding]
    ) throws -> [Finding] {
        var findings = findings
        var changed: Set<String> = []
        var total = 0
        for _ in 1...8 {
            var count = 0
            for index in files.indices {
                let file = files[index]
                let own = findings.filter { $0.file == file.path }
                let (text, made) = Fixer.fixed(file.text, by: own)
                guard made > 0 else { continue }
                let fixed = SourceFile(path: file.path, text: text)
                // Skips a fix that would break this code.
                guard fixed.syntaxError == nil else { continue }
                files[index] = fixed
                changed.insert(file.path)
                count += made
            }
            guard count > 0 else { break }
            total += count
            findings = again(files)
        }
        for file in files where changed.contains(file.path) {
            do {
                try file.text.write(toFile: file.path, atomically: true, encoding: .utf8)
            } catch {
                complain("\(file.path) cannot be written")
                throw ExitCode(74)
            }
        }
        if total > 0 { complain("\(total) fixed") }
        return findings
    }
}

enum FileContent {
    static func bytes(of path: String) throws(DeclaredError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            let isThere = FileManager.default.fileExists(atPath: path)
            throw DeclaredError(
                message: isThere ? "\(path) cannot be read" : "\(path) does not exist",
                isMissingFile: !isThere)
        }
        return [UInt8](data)
    }
}
