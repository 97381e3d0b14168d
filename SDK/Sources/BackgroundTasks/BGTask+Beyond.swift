// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation

extension BGTask {
    /// Whether time is revoked, or the task is completed. Cheap: check before each piece of work.
    public var isExpired: Bool { attempt.isExpired }

    /// Whether the host requests the work to stop at the next suitable point: complete the task
    /// without success there, and the request returns. Cheap.
    public var shouldDefer: Bool { attempt.shouldDefer }

    /// The end of its time; nil for no limit.
    public var deadline: ContinuousClock.Instant? { attempt.deadline }

    /// The directory of the manifest, the base of relative paths in its parameters.
    public var manifestDirectory: URL {
        URL(fileURLWithPath: attempt.manifestDirectory, isDirectory: true)
    }

    /// Decodes `parameters:` of the manifest, overridden by those of a submission. Durations and
    /// sizes are `ManifestDuration` and `ManifestSize`.
    /// - Throws: a `DecodingError` that names the key.
    public func parameters<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(attempt.parametersJSON.utf8))
    }

    // MARK: checkpoints

    /// Stores the position of the work, and returns once it is on disk. It survives failure,
    /// expiration and crashes, and is removed when the task succeeds. At most 1 MiB as JSON.
    /// - Parameter version: raise it when the format of `Value` changes.
    /// - Throws: `PluginHostError`, or an `EncodingError`.
    public func saveCheckpoint<Value: Encodable>(_ value: Value, version: UInt32 = 1) throws {
        let data = [UInt8](try JSONEncoder().encode(value))
        try attempt.putCheckpoint(PluginCheckpoint(version: version, data: data))
    }

    /// The position of an earlier attempt; nil without a checkpoint of this version.
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
    /// A request of the same identifier with parameters that override those of the manifest, as in
    /// `submit(_:parameters:)`.
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
    /// `submit(_:)` with parameters that override those of the manifest, key by key.
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
