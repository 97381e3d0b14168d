// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation
import FoundationNetworking
import Synchronization

extension URLSessionTask {
    /// The request to the host.
    func request(
        for session: BackgroundSession, in attempt: PluginTask, _ isSuspended: Bool
    ) -> PluginTransferRequest {
        let configuration = session.configuration
        let values = values.withLock { $0 }
        let original = values.originalRequest
        var request = PluginTransferRequest(
            session: session.identifier, url: original?.url?.absoluteString)
        let isUpload = source != nil
        if isUpload { request.options.insert(.upload) }
        if configuration.isDiscretionary { request.options.insert(.discretionary) }
        if !configuration.sessionSendsLaunchEvents { request.options.insert(.noLaunchEvents) }
        if isSuspended { request.options.insert(.suspended) }
        if attempt.transfersTakeAnyStatus {
            request.options.insert(.anyStatus)
            // The response to an upload is data, which no delegate moves.
            if !isUpload { request.options.insert(.keepsFile) }
        }
        let allowsMetered = [
            configuration.allowsCellularAccess, configuration.allowsExpensiveNetworkAccess,
            configuration.allowsConstrainedNetworkAccess, original?.allowsCellularAccess ?? true,
        ]
        if allowsMetered.contains(false) { request.options.insert(.noMetered) }
        // A request without a method has GET.
        request.method = original?.httpMethod.flatMap { $0 == "GET" ? nil : $0 }
        request.headersJSON = Headers.json(
            configuration.httpAdditionalHeaders, original, values.authorization)
        request.file = source?.path
        request.description = values.taskDescription
        request.resumeData = resumeData.map { [UInt8]($0) } ?? []
        request.delay = .clamped(seconds: values.earliestBeginDate?.timeIntervalSinceNow ?? 0)
        let timeout = original?.timeoutInterval ?? 60
        request.requestTimeout = .clamped(
            seconds: timeout == 60 ? configuration.timeoutIntervalForRequest : timeout)
        request.resourceTimeout = .clamped(seconds: configuration.timeoutIntervalForResource)
        request.expectedToSend = values.expectedToSend
        request.expectedToReceive = values.expectedToReceive
        request.connections = configuration.httpMaximumConnectionsPerHost
        return request
    }

    /// Adopts the properties of a transfer that this process has not created.
    func identify(_ transfer: PluginTransfer) {
        values.withLock { values in
            values.id = transfer.id
            values.originalRequest = values.originalRequest ?? URLRequest(transfer)
            values.taskDescription = transfer.description
            values.earliestBeginDate = transfer.earliestUnixNanoseconds.map {
                Date(timeIntervalSince1970: TimeInterval($0) / 1e9)
            }
        }
        update(transfer)
    }

    /// Updates the progress.
    func update(_ transfer: PluginTransfer) {
        values.withLock { values in
            values.state = State(rawValue: Int(transfer.state.rawValue)) ?? .running
            values.received = transfer.received
            values.totalToReceive = transfer.expectedToReceive ?? NSURLSessionTransferSizeUnknown
            values.sent = transfer.sent
            values.totalToSend = transfer.expectedToSend ?? NSURLSessionTransferSizeUnknown
            values.response = TransferResponse(transfer)
        }
        let isUpload = transfer.options.contains(.upload)
        progress.totalUnitCount =
            (isUpload ? transfer.expectedToSend : transfer.expectedToReceive) ?? -1
        progress.completedUnitCount = isUpload ? transfer.sent : transfer.received
    }

    /// Ends the task; returns its error, if it failed.
    func finish(_ transfer: PluginTransfer) -> URLError? {
        update(transfer)
        let error = URLError(transfer)
        values.withLock { values in
            values.state = .completed
            values.error = error
        }
        return error
    }

    // MARK: states

    /// Whether it was suspended and runs now.
    func start() -> Bool {
        values.withLock { values in
            guard values.state == .suspended else { return false }
            values.state = .running
            return true
        }
    }

    /// Bytes transferred since the delegate was last notified, and the offset at which the transfer
    /// resumed if that was not delivered yet; nil: none. Not called once the transfer has ended.
    func takeNews(_ moved: Int64, resumedAt: Int64?) -> (bytes: Int64, resumedAt: Int64?)? {
        values.withLock { values in
            guard moved > values.told else { return nil }
            let isFirst = values.told == 0
            let start = isFirst ? min(resumedAt ?? 0, moved) : values.told
            values.told = moved
            return (moved - start, isFirst ? resumedAt : nil)
        }
    }

    /// Suspends it; returns the id if the host must be notified.
    func suspendIfRunning() -> Int64? {
        values.withLock { values in
            guard values.state == .running else { return nil }
            values.state = .suspended
            return values.id
        }
    }

    /// Whether it can still be cancelled.
    func beginCancelling() -> Bool {
        values.withLock { values in
            guard values.state == .running || values.state == .suspended else { return false }
            values.state = .canceling
            return true
        }
    }
}

extension URLRequest {
    /// The stored request of a transfer, without headers.
    init?(_ transfer: PluginTransfer) {
        guard let url = URL(string: transfer.url) else { return nil }
        self.init(url: url)
        httpMethod = transfer.method
    }
}

/// The response to a transfer. `@unchecked Sendable`: it adds no stored property to a class that is
/// immutable.
private final class TransferResponse: HTTPURLResponse, @unchecked Sendable {
    /// The name in the headers, else in the URL; on Linux Foundation's is "Unknown" without the first.
    override var suggestedFilename: String? {
        let name = url?.lastPathComponent ?? ""
        let isNamed = super.suggestedFilename.map { $0 != "Unknown" } ?? false
        return isNamed || name.isEmpty || name == "/" ? super.suggestedFilename : name
    }

    /// nil before a response.
    convenience init?(_ transfer: PluginTransfer) {
        guard let status = transfer.status,
            let url = URL(string: transfer.responseURL ?? transfer.url)
        else { return nil }
        let headers = transfer.responseHeadersJSON.flatMap {
            try? JSONDecoder().decode([String: String].self, from: Data($0.utf8))
        }
        self.init(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
    }
}

extension URLError {
    /// nil unless it failed.
    fileprivate init?(_ transfer: PluginTransfer) {
        guard let failure = transfer.failure else { return nil }
        var info: [String: Any] = [NSLocalizedDescriptionKey: failure.text]
        info[NSURLErrorFailingURLErrorKey] = URL(string: transfer.url)
        self.init(Code(rawValue: failure.code) ?? .cannotDecodeRawData, userInfo: info)
    }

    /// The reason why the host has refused a transfer.
    init(_ error: PluginHostError) {
        let code: Code =
            switch error.code {
            case .invalid, .tooLarge: .unsupportedURL
            case .notFound: .fileDoesNotExist
            case .notStored: .cannotWriteToFile
            default: .backgroundSessionWasDisconnected
            }
        self.init(code, userInfo: [NSLocalizedDescriptionKey: error.description])
    }
}

private enum Headers {
    /// The headers of the session, overridden by those of the request; nil without any.
    /// - Parameter authorization: Replaces the value in the headers; nil: unchanged.
    static func json(
        _ additional: [AnyHashable: Any]?, _ request: URLRequest?, _ authorization: String?
    ) -> String? {
        var headers: [String: String] = [:]
        func set(_ name: String, _ value: String) {
            // The names of headers are case-insensitive.
            for known in headers.keys where known.lowercased() == name.lowercased() {
                headers[known] = nil
            }
            headers[name] = value
        }
        for (name, value) in additional ?? [:] { headers["\(name)"] = "\(value)" }
        for (name, value) in request?.allHTTPHeaderFields ?? [:] { set(name, value) }
        if let authorization { set("Authorization", authorization) }
        guard !headers.isEmpty,
            let json = try? JSONSerialization.data(
                withJSONObject: headers, options: [.sortedKeys])
        else { return nil }
        return String(decoding: json, as: UTF8.self)
    }
}
