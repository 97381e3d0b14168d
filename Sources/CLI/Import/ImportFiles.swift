// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunSchedulerInterop
import BGRunSystem
import FoundationEssentials
import Glibc

/// The files an import reads.
enum ImportFiles {
    /// The maximum size of a file, in bytes.
    private static let largest = 1 << 20

    /// The text of a file, or of standard input: `-`.
    static func text(_ path: String) throws -> String {
        let contents =
            path == "-"
            ? readAll(STDIN_FILENO, limit: largest).map { Data($0) }
            : FileManager.default.contents(atPath: path)
        guard let data = contents else {
            throw Exit.noInput.reporting("\(LogText.visible(path)) is not a readable file")
        }
        guard data.count <= largest else {
            throw Exit.badData.reporting(
                "\(LogText.visible(path)) is larger than 1 MiB: no scheduler has such files")
        }
        if let kind = kindOfBgrun(data) {
            throw Exit.badData.reporting(
                "\(LogText.visible(path)) is a \(kind), not a file of another scheduler; name a crontab, "
                    + "a timer, a launchd job or an Info.plist")
        }
        if data.starts(with: Data("bplist".utf8)) { return try xml(data, path) }
        guard let text = String(bytes: data, encoding: .utf8) else {
            throw Exit.badData.reporting(
                "\(LogText.visible(path)) is not UTF-8; convert it with iconv")
        }
        return text
    }

    /// The kind of a file that is not a schedule, by its first key or its first bytes; nil for another file.
    private static func kindOfBgrun(_ data: Data) -> String? {
        if data.starts(with: DocumentKind.magicOfELF) { return "shared library or program" }
        let lines = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
        let first = lines.first { !$0.hasPrefix("#") && $0 != "---" } ?? ""
        if first.hasPrefix("bgrun:") { return "bgrun manifest" }
        return first.hasPrefix("scenario:") ? "scenario" : nil
    }

    /// A binary property list as XML.
    private static func xml(_ data: Data, _ path: String) throws -> String {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        guard let value = PropertyList(data), let xml = try? encoder.encode(value) else {
            throw Exit.badData.reporting("\(LogText.visible(path)) is not a property list")
        }
        return String(decoding: xml, as: UTF8.self)
    }

    static func isDirectory(_ path: String) -> Bool {
        var isDirectory = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
            && isDirectory
    }

    /// The regular files of a directory, sorted, without those that cron ignores.
    static func files(_ path: String) -> [String] {
        guard isDirectory(path) else { return [path] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let usual = names.filter { name in
            !name.hasPrefix(".") && !name.hasSuffix("~") && !name.contains(".dpkg-")
        }
        return usual.sorted().map { "\(path)/\($0)" }.filter { !isDirectory($0) }
    }

    /// The timers of a directory.
    static func timers(_ path: String) -> [String] {
        isDirectory(path) ? files(path).filter { $0.hasSuffix(".timer") } : [path]
    }

    /// The format of the files, by the first one that determines it.
    static func format(_ paths: [String], _ texts: inout [String: String]) throws -> ExchangeFormat
    {
        for path in paths {
            let files = files(path)
            if files.contains(where: { $0.hasSuffix(".timer") }) { return .systemd }
            guard let first = files.first else { continue }
            let text = try texts[first] ?? text(first)
            texts[first] = text
            return ExchangeFormat.detect(path: first, text: text) { getpwnam($0) != nil }
        }
        throw Exit.noInput.reporting("the file to import is missing; name one")
    }
}
