// SPDX-License-Identifier: Apache-2.0

/// `push:`, where silent pushes come from. Paths are absolute; `task` is the one that a message is for
/// which names none.
public struct PushSources: Hashable, Sendable {
    /// A directory into which files are dropped.
    public var inbox: Place?
    /// A UNIX socket that takes lines.
    public var socket: Place?
    public var webhook: Webhook?
    public var mqtt: MQTT?

    public struct Place: Hashable, Sendable {
        public var path: String
        public var task: String?

        public init(path: String, task: String? = nil) {
            self.path = path
            self.task = task
        }
    }

    /// Speaks as Apple's push service does.
    public struct Webhook: Hashable, Sendable {
        /// A numeric address of this machine alone.
        public var host: String
        public var port: UInt16
        /// A file that holds the bearer token, and that no other user may read.
        public var token: String

        public init(host: String, port: UInt16, token: String) {
            self.host = host
            self.port = port
            self.token = token
        }
    }

    /// Subscribes to topics of a broker.
    public struct MQTT: Hashable, Sendable {
        public var host: String
        public var port: UInt16
        public var isTLS: Bool
        public var topics: [String]
        public var task: String?
        /// A file with `user:password`, which no other user may read.
        public var credentials: String?
        /// Certificates of the authorities that are trusted; nil for the machine's.
        public var ca: String?
        /// Nil: one made of the app's name.
        public var clientID: String?

        public init(
            host: String, port: UInt16, isTLS: Bool, topics: [String], task: String? = nil,
            credentials: String? = nil, ca: String? = nil, clientID: String? = nil
        ) {
            self.host = host
            self.port = port
            self.isTLS = isTLS
            self.topics = topics
            self.task = task
            self.credentials = credentials
            self.ca = ca
            self.clientID = clientID
        }

        /// As the manifest writes it: `mqtts://host:8883`.
        public var broker: String {
            (isTLS ? "mqtts" : "mqtt") + "://" + (host.contains(":") ? "[\(host)]" : host)
                + ":\(port)"
        }
    }

    public init(
        inbox: Place? = nil, socket: Place? = nil, webhook: Webhook? = nil, mqtt: MQTT? = nil
    ) {
        self.inbox = inbox
        self.socket = socket
        self.webhook = webhook
        self.mqtt = mqtt
    }
}
