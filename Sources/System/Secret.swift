// SPDX-License-Identifier: Apache-2.0

import CBGRunShims
import Glibc

/// A text for the attempts of a task that is in no manifest, environment, store or log: they receive a descriptor of it.
package struct Secret: Hashable, Sendable {
    /// The name in its environment variable.
    package var name: String
    package var source: Source

    package enum Source: Hashable, Sendable {
        /// An absolute path.
        case file(String)
        /// A credential of the host's service, systemd.exec(5).
        case credential(String)
    }

    /// The maximum number of a task.
    package static let most = 16
    package static let longestName = 64
    /// The maximum size, in bytes.
    package static let largest = 65_536

    package init(name: String, source: Source) {
        self.name = name
        self.source = source
    }

    package static func isName(_ text: String) -> Bool {
        isVariableName(text) && text.utf8.count <= longestName
    }

    /// Whether a shell accepts this name of an environment variable.
    package static func isVariableName(_ text: String) -> Bool {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let isPlain = text.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "_"), digits:
                true
            default: false
            }
        }
        return isPlain && text.utf8.first.map { !digits.contains($0) } ?? false
    }

    /// Whether a service manager accepts this name of a credential.
    package static func isCredentialName(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && text != "." && text != ".."
            && text.utf8.allSatisfy {
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":")
            }
    }

    /// Opens a sealed copy in memory of what it is now; the caller closes it.
    /// - Parameter variables: The environment of the host.
    package func copy(
        variables: (String) -> String? = { getenv($0).map { String(cString: $0) } }
    ) throws(PrivateFile.Refusal) -> Int32 {
        do throws(PrivateFile.Refusal) {
            switch source {
            case .file(let path): return try Self.copy(of: Self.open(path), path)
            case .credential(let credential):
                guard let directory = variables("CREDENTIALS_DIRECTORY") else {
                    throw PrivateFile.Refusal(
                        reason: "the host has no $CREDENTIALS_DIRECTORY; add "
                            + "`LoadCredential=\(credential):PATH` to its unit")
                }
                let path = directory + "/" + credential
                return try Self.copy(of: Self.openCredential(path, credential), path)
            }
        } catch {
            throw PrivateFile.Refusal(reason: "secrets.\(name): \(error.reason)", code: error.code)
        }
    }

    private static func open(_ path: String) throws(PrivateFile.Refusal) -> ReadableFile {
        if let refusal = linkRefusal(path) { throw refusal }
        do throws(PrivateFile.Refusal) { return try PrivateFile.open(path) } catch {
            guard error.code == ENOENT else { throw error }
            throw PrivateFile.Refusal(
                reason: error.reason + "; write the file with mode 600, or correct its path",
                code: error.code)
        }
    }

    /// Another user could let its link name any file of the host's user.
    private static func linkRefusal(_ path: String) -> PrivateFile.Refusal? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK,
            status.st_uid != geteuid(), status.st_uid != 0
        else { return nil }
        return PrivateFile.Refusal(
            reason: "\(path) is a link of user \(status.st_uid); it must be yours or root's")
    }

    /// The service manager has checked its readers: they may be in an access list, which the mode shows as a group.
    private static func openCredential(
        _ path: String, _ credential: String
    ) throws(PrivateFile.Refusal) -> ReadableFile {
        try ReadableFile(path) { code -> PrivateFile.Refusal in
            guard let code else {
                return PrivateFile.Refusal(reason: "\(path) is not a regular file")
            }
            let remedy =
                code == ENOENT ? "; add `LoadCredential=\(credential):PATH` to the host's unit" : ""
            return PrivateFile.Refusal(
                reason: "\(path): \(String(cString: strerror(code)))\(remedy)", code: code)
        }
    }

    private static func copy(
        of file: ReadableFile, _ path: String
    ) throws(PrivateFile.Refusal) -> Int32 {
        let copy = withExtendedLifetime(file) {
            bgrun_sealed_copy("bgrun-secret", file.descriptor, largest)
        }
        if copy == -EFBIG {
            throw PrivateFile.Refusal(reason: "\(path) is larger than \(largest / 1_024) KiB")
        }
        guard copy >= 0 else {
            throw PrivateFile.Refusal(
                reason: "\(path): \(String(cString: strerror(-copy)))", code: -copy)
        }
        return copy
    }
}
