// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation

extension BGTask {
    /// Time is revoked, or the task is completed. Cheap: ask before each piece of work.
    public var isExpired: Bool { attempt.isExpired }

    /// The host would like the work to stop at the next good place: complete without success
    /// there, and the request comes back. Cheap.
    public var shouldDefer: Bool { attempt.shouldDefer }

    /// When its time runs out; nil for no limit.
    public var deadline: ContinuousClock.Instant? { attempt.deadline }

    /// The directory of the manifest, where relative paths in its parameters start.
    public var manifestDirectory: URL {
        URL(fileURLWithPath: attempt.manifestDirectory, isDirectory: true)
    }

    /// Decodes `parameters:` of the manifest, with what a submission has laid over it. Lengths of
    /// time and sizes are `ManifestDuration` and `ManifestSize`.
    /// - Throws: a `DecodingError` that names the key.
    public func parameters<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(attempt.parametersJSON.utf8))
    }

    // MARK: checkpoints

    /// Stores where the work has got to, and returns once it is on disk. It survives failure,
    /// expiration and crashes, and is removed when the task succeeds. At most 1 MiB as JSON.
    /// - Parameter version: raise it when the format of `Value` changes.
    /// - Throws: `PluginHostError`, or an `EncodingError`.
    public func saveCheckpoint<Value: Encodable>(_ value: Value, version: UInt32 = 1) throws {
        let data = [UInt8](try JSONEncoder().encode(value))
        try attempt.putCheckpoint(PluginCheckpoint(version: version, data: data))
    }

    /// Where an earlier attempt had got to; nil when there is no checkpoint of this version.
    /// - Throws: `PluginHostError`, or a `DecodingError`.
    public func checkpoint<Value: Decodable>(
        as type: Value.Type = Value.self, version: UInt32 = 1
    ) throws -> Value? {
        guard let stored = try attempt.checkpoint(), stored.version == version else { return nil }
        return try JSONDecoder().decode(type, from: Data(stored.data))
    }

    /// Removes the checkpoint.
    public func removeCheckpoint() throws {
        try attempt.putCheckpoint(nil)
    }
}

extension BGTaskRequest {
    /// A request of the same identifier with parameters laid over those of the manifest, as
    /// `submit(_:parameters:)` takes them.
    fileprivate func pluginRequest(parameters: some Encodable) throws -> PluginRequest {
        var request = pluginRequest(now: Date())
        var object = try Self.object(JSONEncoder().encode(parameters))
        if let details = request.parametersJSON {
            object.merge(try Self.object(Data(details.utf8))) { _, own in own }
        }
        let data = try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])
        request.parametersJSON = String(decoding: data, as: UTF8.self)
        return request
    }

    private static func object(_ data: Data) throws -> [String: Any] {
        guard let object = try JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw PluginHostError(
                .invalid, "parameters must be a JSON object; encode a struct or a dictionary")
        }
        return object
    }
}

extension BGTaskScheduler {
    /// `submit(_:)` with parameters that are laid over those of the manifest, key by key.
    /// - Throws: `BGTaskScheduler.Error`, or an `EncodingError`.
    public func submit(_ taskRequest: BGTaskRequest, parameters: some Encodable) throws {
        let request = try taskRequest.pluginRequest(parameters: parameters)
        do {
            try runtime.submit(request)
        } catch {
            throw Error(error)
        }
    }
}
