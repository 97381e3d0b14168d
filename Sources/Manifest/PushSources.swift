// SPDX-License-Identifier: Apache-2.0

/// `push:`, the sources of silent pushes. Paths are absolute; `task` is the default task of a message.
package struct PushSources: Equatable, Sendable {
    /// A directory into which files are dropped.
    package var inbox: Place?
    /// A UNIX socket that receives lines.
    package var socket: Place?
    package var webhook: Webhook?
    package var mqtt: MQTT?

    package struct Place: Hashable, Sendable {
        package var path: String
        package var task: String?
    }

    /// An HTTP server with the interface of Apple's push service.
    package struct Webhook: Equatable, Sendable {
        /// A numeric loopback address.
        package var host: String
        package var port: UInt16
        /// A file with the bearer token, which no other user may read.
        package var token: String

        /// The minimum length of a token in bytes: a shorter one can be guessed.
        private static let shortestToken = 16

        /// The maximum size of its file in bytes.
        package static let largestTokenFile = 4_096

        /// The problem of a token for which `token(in:)` is nil.
        package static let shortage = "under \(shortestToken) characters"

        /// The token in the contents of its file, without surrounding white space; nil if it is too
        /// short.
        package static func token(in file: [UInt8]) -> String? {
            let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
            let text = file.drop(while: isBlank)
            guard let last = text.lastIndex(where: { !isBlank($0) }) else { return nil }
            let token = text[...last]
            return token.count < shortestToken ? nil : String(decoding: token, as: UTF8.self)
        }
    }

    /// Subscribes to topics of a broker.
    package struct MQTT: Equatable, Sendable {
        package var host: String
        package var port: UInt16
        package var isTLS: Bool
        package var topics: [String]
        package var task: String?
        /// A file with `user:password`, which no other user may read.
        package var credentials: String?
        /// The certificates of trusted authorities; nil: the machine's.
        package var ca: String?
        /// Nil: derived from the app's name.
        package var clientID: String?

        /// The form of the manifest: `mqtts://host:8883`.
        package var broker: String {
            (isTLS ? "mqtts" : "mqtt") + "://" + (host.contains(":") ? "[\(host)]" : host)
                + ":\(port)"
        }
    }
}
