// SPDX-License-Identifier: Apache-2.0

/// `push:`, where silent pushes come from. Paths are absolute; `task` is the one that a message is for
/// which names none.
package struct PushSources: Hashable, Sendable {
    /// A directory into which files are dropped.
    package var inbox: Place?
    /// A UNIX socket that takes lines.
    package var socket: Place?
    package var webhook: Webhook?
    package var mqtt: MQTT?

    package struct Place: Hashable, Sendable {
        package var path: String
        package var task: String?
    }

    /// Speaks as Apple's push service does.
    package struct Webhook: Hashable, Sendable {
        /// A numeric address of this machine alone.
        package var host: String
        package var port: UInt16
        /// A file that holds the bearer token, and that no other user may read.
        package var token: String

        /// The fewest bytes of a token: a shorter one can be guessed.
        private static let shortestToken = 16

        /// The most bytes of its file.
        package static let largestTokenFile = 4_096

        /// What a token has for which `token(in:)` is nil.
        package static let shortage = "under \(shortestToken) characters"

        /// The token in the bytes of its file, without white space at its ends; nil if it is too short.
        package static func token(in file: [UInt8]) -> String? {
            let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
            let text = file.drop(while: isBlank)
            guard let last = text.lastIndex(where: { !isBlank($0) }) else { return nil }
            let token = text[...last]
            return token.count < shortestToken ? nil : String(decoding: token, as: UTF8.self)
        }
    }

    /// Subscribes to topics of a broker.
    package struct MQTT: Hashable, Sendable {
        package var host: String
        package var port: UInt16
        package var isTLS: Bool
        package var topics: [String]
        package var task: String?
        /// A file with `user:password`, which no other user may read.
        package var credentials: String?
        /// Certificates of the authorities that are trusted; nil for the machine's.
        package var ca: String?
        /// Nil: one made of the app's name.
        package var clientID: String?

        /// As the manifest writes it: `mqtts://host:8883`.
        package var broker: String {
            (isTLS ? "mqtts" : "mqtt") + "://" + (host.contains(":") ? "[\(host)]" : host)
                + ":\(port)"
        }
    }
}
